"""Rigid bodies and joints in space: the model that `structkin.spatial` and `structkin.symbolic` share."""
