"""Files of structkin and of other tools, one module per format: `readers` and `writers`."""

from structkin.files.readers.matrix import read_matrix as read_matrix
from structkin.files.reading import read as read
from structkin.files.writers import FORMATS as FORMATS
from structkin.files.writers import write as write
