"""Studies of the papers that structkin builds on, from our own runs, with the statistics and filters they need."""
