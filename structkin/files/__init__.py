"""Files of structkin and of others, one format a file: what is read (`readers`), and what is written (`writers`)."""

from structkin.files.reading import read as read
from structkin.files.writers import FORMATS as FORMATS
from structkin.files.writers import write as write
