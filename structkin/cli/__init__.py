"""The command line: `structkin --help` lists the commands, one file each."""

from structkin.cli.app import main

__all__ = ["main"]
