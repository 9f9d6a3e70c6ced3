"""Minimal coordinates (S4): equations of motion of trees in space, explicit or recursive, with loops in closed form."""
