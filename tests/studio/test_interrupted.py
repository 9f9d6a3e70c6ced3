"""Save, ended at a random moment: the file is the old one or the new one, never half of one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cases import few

#: Saves two documents in turn, is ended by a signal at a random moment, and looks at the file; that 20 times or more.
SAVING = """
import os, random, signal, sys, time
from pathlib import Path
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile

file, end = MechanismFile(Path(sys.argv[1])), int(sys.argv[2])
documents = [Document({"title": mark * 9000, "points": {f"{mark}{k}": [k, 0.1] for k in range(3000)}, "links": {}})
             for mark in "AB"]
file.save(documents[0], overwrite=True)
source, reader, found, rounds = random.Random(1), MechanismFile(file.path), set(), 0
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # it waits until the child, however slow, can take it
while rounds < 20 or (len(found) < 2 and rounds < 200):  # a busy machine may not come to the second one in 0.2 s
    rounds += 1
    child = os.fork()
    if child == 0:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            while True:
                for document in documents:
                    file.save(document, overwrite=True)
        except KeyboardInterrupt:
            os._exit(0)
    time.sleep(source.uniform(0.02, 0.2))
    os.kill(child, end)
    os.waitpid(child, 0)
    found.add(documents.index(reader.read()))
print(sorted(found), len(os.listdir(file.path.parent)))
"""


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.parametrize("name", few(["SIGKILL", "SIGINT"], 1, 0))
def test_a_file_is_saved_whole_or_not_at_all(name: str, tmp_path: Path):
    words = [sys.executable, "-c", SAVING, str(tmp_path / "mine.json"), str(int(signal.Signals[name]))]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=120)
    assert done.stderr == "" and done.stdout.startswith("[0, 1]"), done
    if name == "SIGINT":
        assert done.stdout.split()[-1] == "1"  # no draft is left
