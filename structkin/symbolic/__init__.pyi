from .explicit.equations_of_motion import equations as equations
from .explicit.own import ExplicitLoop as ExplicitLoop
from .integration import simulate as simulate
from .motion import TreeMotion as TreeMotion
from .recursive import Recursive as Recursive
