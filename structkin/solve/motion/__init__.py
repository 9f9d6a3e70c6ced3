"""What every kinematic method returns: a `Motion`, and what can be read from it."""

from structkin.solve.motion.motion import Motion

__all__ = ["Motion"]
