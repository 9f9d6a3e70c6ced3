"""A crank-rocker as the section [mechanism] of a file: for commands whose file holds a mechanism and more."""

CRANK_ROCKER = """
[mechanism]
title = "Crank-rocker"
units = { length = "mm", angle = "deg" }
[mechanism.points]
A = [0, 0]
B = [20, 34.64]
C = [133.9, 72.5]
D = [100, 0]
P = [90, 120]
[mechanism.links]
ground = ["A", "D"]
crank = ["A", "B"]
coupler = { points = ["B", "C", "P"], mass = 0.5, center = [70, 60], inertia = 2e-4 }
rocker = ["D", "C"]
[mechanism.drivers]
motor = { joint = "A", speed = "60 rpm" }
"""
