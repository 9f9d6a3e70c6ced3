"""Reports: a mechanism and its motion on one page that opens from disk."""

from structkin.report.report import SECTIONS, SUFFIXES, check_call, content

__all__ = ["SECTIONS", "SUFFIXES", "check_call", "content"]
