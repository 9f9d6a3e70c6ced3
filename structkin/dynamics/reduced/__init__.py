"""The reduced equations of motion: poses on one smooth motion, through change points and dead points."""
