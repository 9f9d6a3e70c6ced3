"""The reduced equations of motion: poses along one smooth motion, through change points and dead points."""
