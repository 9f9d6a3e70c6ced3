"""Forward dynamics measured: time against error, beside other programs where they are installed, and growth with size."""
