"""Forward dynamics measured: time against error, next to other programs if installed, and growth with size."""
