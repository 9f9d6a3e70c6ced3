"""Settings of the whole suite."""

import os

# Each worker has a core of its own: threads of the linear algebra would only fight for them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
