"""The command line as a user calls it, in this process: a new one would spend most of its time on imports."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

from typer.testing import CliRunner, Result

from structkin.cli import app, main


def called(*words: object) -> Result:
    """Return what Typer's runner has of `structkin` with these words: its errors stay exceptions."""
    return CliRunner().invoke(app, [str(word) for word in words])


def structkin(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Return the exit code and the output of `structkin` with these words."""
    argv, out, err = ["structkin", *map(str, words)], io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ), patch.object(sys, "argv", argv), contextlib.chdir(cwd or "."),
        contextlib.redirect_stdout(out), contextlib.redirect_stderr(err),
    ):  # fmt: skip
        try:
            main()
            code: object = 0
        except SystemExit as end:
            code = end.code or 0
    return subprocess.CompletedProcess(argv, code if isinstance(code, int) else 1, out.getvalue(), err.getvalue())
