"""The forces of a motion, by the structural groups in reverse order."""
