"""Beside one motion: limits, assemblies, circuits, branches that cross at change points, and kinds of poses."""
