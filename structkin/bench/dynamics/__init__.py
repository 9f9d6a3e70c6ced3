"""Forward dynamics measured: time against error, beside other programs if they are installed, and growth with size."""
