"""Small steps in space (S3): Newton's and Euler's equations with stiff joints, in a compiled loop."""

from structkin.spatial.run import small_steps
from structkin.spatial.small_step_motion import SmallStepMotion

__all__ = ["SmallStepMotion", "small_steps"]
