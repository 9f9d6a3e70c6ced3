"""The equations of joints and drivers: each written once as a row, and one evaluator for all of them.

The input is the constraint of a joint on points and directions that are affine in complex slots (`affine`): sums of

    Re(w conj(a) b) + linear terms in counted rotations and inputs + constant        (`quadrics`)

or, for gears, cams and driven angles between moving links, functions of rotations and vectors (`trig_rows`, `curves`,
`relations`). The output, over lanes, is the rows, their Jacobian, and their second and third derivatives along
directions (`equations`). The general group, the families of coordinates and all code based on them evaluate their rows
only here.

What joints (`structkin.joints`) and drivers (`structkin.plan.general_rows`) write:

| row | equation | source |
|---|---|---|
| revolute (pinned: one link is the ground) | r_i + A_i s_i - r_j - A_j s_j | S0 Tab. 1; S1 eq. 47 |
| translation, across | d x (P_j - P_i) - e | S0 Tab. 1; S1 eqs. 66-67 |
| translation, orientation | u.v - cos, or u x v - sin, of a constant angle; as angles: S1 eq. 65 | S0 Tab. 1 (5), (6) |
| translation-revolute: a slot (roller: on the ground, along an axis) | d x (P_j - P_i) - e | S0 Tab. 1 (7), (3) |
| circular slot with centre M: a massless link from M to the pin | (P - M).(P - M) - r^2 | |
| curved slot | signed distance of P from the nearest point of the curve, in the frame of its link | |
| fastened links | P_j - P_i, two rows, and the orientation of a translation | |
| angular driver | u.v - cos z and u x v - sin z; as angles: phi_j - phi_i - z | S0 Tab. 1; S1 eq. 79 |
| slide driver | d . (P_j - P_i) - start - z | |
| linear driver of a distance | (F - E).(F - E) / 2 - z^2 / 2 | |
| gear, belt | t_1 - r t_2 + (r - 1) t_c = 0, rotations from the sketch, carrier c (Willis) | |
| rack; rolling on a line | d . (P_j - P_i) - start - lever (t_1 - t_2) = 0 | |
| rolling on a line | d x (P_j - P_i) - e = 0 | |
| rolling on a circle, two rows | C_2 - C_1 - R E(s) = 0, (1 - r) s = t_1 - r t_2, carrier: line of centres | |
| cam by its law, translating | d . (P_j - P_i) - start - f(angle of the cam) = 0 | |
| cam by its law, oscillating | angle of the follower - f(angle of the cam) = 0, both relative to the carrier | |
| cam by its profile, roller or edge | length of T - C - f(direction of T - C relative to the cam) = 0 | |
| cam by its profile, flat face | n . (T - C) - f(direction of n relative to the cam) = 0 | |
| Geneva wheel | t_w - t_c + g(x_0 + t_k - t_c) - g(x_0) = 0, crank k, wheel w, x_0 from the line of centres | |

S0: Roupa, Goncalves, Tavares da Silva, "Dynamic analysis of planar multibody systems with fully Cartesian coordinates"
(Tab. 1, its right-hand sides corrected); S1: Flores, Lankarani, "Formulation for planar multibody dynamics" (eqs. 22
to 87, corrected: nu = +z', gamma = +z'' of a driver). Full turns are counted: two turns of a driver are two turns of
its gear. E(s) is the unit vector rotated by s from the sketch.
"""
