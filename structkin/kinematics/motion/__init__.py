"""What every kinematic method returns: a `Motion`, and what can be read from it."""

from structkin.kinematics.motion.motion import Motion

__all__ = ["Motion"]
