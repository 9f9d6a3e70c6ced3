"""The arrays of a mechanism's equations with multipliers."""

from __future__ import annotations

from structkin.dynamics.compiled.memory import LoadMemory, given, integers, numbers


class ConstrainedMemory(LoadMemory):
    """All arrays of a mechanism in one family of coordinates.

    n coordinates, m rows, L links with frames (4 L,), p prescribed drivers; w variables of the rows: the
    coordinates themselves, or frames and turns of links, whose derivatives d(frames, turns)/dq are the `map`.
    """

    # Sizes; whether the links form a tree of angles and travels; whether steps end with a projection, or states are
    # closed by partitioning.
    n, m, tree, projects, closes = integers(), integers(), integers(), integers(), integers()
    # Links of the tree: parent and column of the angle (-1 for none), the pin's places on both, and a constant turn.
    parent, turn_column, arms = integers(-1), integers(-1), given(-1, 5)
    # The travels of each link: column, carrier (-1: the ground), whether that is the parent; direction in its frame.
    travel_ptr, travels, travel_axis = integers(-1), integers(-1, 3), given(-1, 2)
    theta, omega, pivot = numbers(-1), numbers(-1), numbers(-1, 2)
    # Entries of the map; in a tree those of (link, joint that turns it), then of (link, travel that moves it).
    map_row, map_column, map = integers(-1), integers(-1), numbers(-1)
    pair_link, pair_joint, slide_link, slide_travel = integers(-1), integers(-1), integers(-1), integers(-1)
    # Frames, their rates, and their second rates at q'' = 0 (3, 4 L); those that are linear in q at q = 0.
    X, X_zero = numbers(3, -1), given(-1)
    # The variables likewise (3, w); links whose turns are among them, and those angles where their turns are zero.
    x, turned, turned_zero = numbers(3, -1), integers(-1), given(-1)
    # Quadratic rows, see `rows.quadrics`: entries of the Jacobian by the variables and their rates (2, .), and their
    # terms; where the variables are the coordinates, the entry of A that each is a part of.
    entry_row, entry_column, entry_base, entry = integers(-1), integers(-1), given(-1), numbers(2, -1)
    square_entry, square_other, square, entry_place = integers(-1), integers(-1), given(-1), integers(-1)
    # Rows with the cosine and sine of a turn, see `rows.trig_rows`: their numbers, where the entries of each begin;
    # factors of s, C, S and N at each entry, and their constants.
    trig, trig_ptr = integers(-1), integers(-1)
    trig_factor, trig_zero = given(-1, 4), given(-1, 4)
    # Of each row its place among the m rows, the driver by which it switches (-1: none), whether it is the cross row.
    row_constant, row_place, row_weight = given(-1), integers(-1), numbers(-1)
    row_driver, row_crosses = integers(-1), integers(-1)
    # The chain rule in a tree: entry of A, entry of the rows, entry of the map.
    chain_out, chain_entry, chain_map = integers(-1), integers(-1), integers(-1)
    # Linear rows: (entry of A, row, column), factors; constants of all rows (m,); the first and last row of angles.
    linear, linear_factor, linear_constant, turning = integers(-1, 3), given(-1), given(-1), integers(2)
    # The parts -sign f(z) of rows: row, driver, form as in `terms`.
    driven, driven_sign, z = integers(-1, 3), given(-1), numbers(3, -1)
    # Entries of M and of A = Phi_q, their rows and columns; M = X_q^T M_X X_q as products: entry, two entries of the
    # map; their factors.
    M, M_row, M_column = numbers(-1), integers(-1), integers(-1)
    A, A_row, A_column = numbers(-1), integers(-1), integers(-1)
    product_out, product_one, product_two, product = integers(-1), integers(-1), integers(-1), given(-1)
    # Units of columns and rows, size of M, strength of the motion. Compiled, the system and its factors: rows that are
    # solved, the place of each row among them (-1: none), a test of signs.
    unit_q, unit_row, size, strength = given(-1), given(-1), numbers(), numbers()
    kept, kept_place, signs, K, pivots, right = (
        integers(-1), integers(-1), given(-1), numbers(-1), integers(-1), numbers(-1),
    )  # fmt: skip
    # Rows, -Phi_t, right-hand side of the accelerations (m,), and required values of the rows; forces on the frames
    # (2, 4 L) and on the coordinates (n,); Baumgarte's gains.
    phi, nu, gamma, asked = numbers(-1), numbers(-1), numbers(-1), numbers(-1)
    on_frames, force, alpha, beta = numbers(2, -1), numbers(-1), given(), given()
    # Coordinate partitioning: independent coordinates, [Phi_q; E_u] and its factors, the smallest inverse; velocities.
    chosen, parted, part_pivots, part_signs = integers(-1), numbers(-1), integers(-1), given(-1)
    part_right, least, near = numbers(-1), numbers(), numbers(-1)
    # Efforts: kind of the coordinate, its two expressions, law.
    efforts = integers(-1, 4)
    # Turns of the links (L,), see `find_turns`: their angles in the sketch, the turns that angles among the
    # coordinates leave out; turns and their rates at the last step, its time; those of now. Links of torsion springs.
    drawn, held, turns, turn_rates, clock = given(-1), numbers(-1), numbers(-1), numbers(-1), numbers()
    new_turns, torsion_links = numbers(-1), integers(-1, 2)
