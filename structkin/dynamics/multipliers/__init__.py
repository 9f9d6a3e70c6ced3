"""The equations of all links with Lagrange multipliers, and what keeps their joints closed."""
