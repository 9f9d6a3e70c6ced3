"""Small steps in space (S3): Newton's and Euler's equations with stiff joints, in a compiled loop."""

from structkin.spatial.motion import SmallStepMotion
from structkin.spatial.run import small_steps

__all__ = ["SmallStepMotion", "small_steps"]
