"""How a motion changes with the numbers of its mechanism: derivatives by one sweep back through the groups."""
