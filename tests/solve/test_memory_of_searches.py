"""The search for change points keeps poses between stations, but not all of a long search."""

from __future__ import annotations

import subprocess
import sys

import pytest

from structkin.examples import path

#: A point of the leg lies 1e19 m away: the search goes on until its budget is spent.
SCRIPT = """
import resource, sys
import structkin as sk
data = sk.load(sys.argv[1]).source_dict
data["points"]["M"][0] = 1e21
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    sk.Mechanism.from_dict(data).solve(13)
except sk.InputError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before >> 10)
"""


@pytest.mark.full
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss is in KiB on Linux alone")
def test_a_search_without_an_end_keeps_little():
    command = [sys.executable, "-c", SCRIPT, str(path("klann_leg"))]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    *words, megabytes = ran.stdout.splitlines()
    assert "takes far more steps than usual" in "".join(words), ran.stderr
    assert int(megabytes) < 500, "it was 1,100"
