"""Position analysis of all poses: limits, assemblies, circuits, branches at change points, kinds of poses."""
