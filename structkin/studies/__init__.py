"""Studies of the papers that structkin rests on, from our own runs, and what they need of statistics and signals."""
