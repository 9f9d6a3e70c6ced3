"""The equations of joints and drivers: each written once as a row, and one evaluator for all of them.

In goes what a joint says about points and directions that are affine in complex slots (`affine`): sums of

    Re(w conj(a) b) + linear terms in counted turns and inputs + constant        (`quadrics`)

or, where teeth roll, cams push and angles are driven between moving links, functions of turns and vectors (`windings`,
`curves`, `relations`). Out come, over lanes, the rows, their Jacobian, and their second and third derivatives along
directions (`equations`). The general group, the families of coordinates and what is built on them evaluate their rows
here and nowhere else.

What joints (`structkin.joints`) and drivers (`structkin.plan.driver_rows`) write:

| row | equation | source |
|---|---|---|
| revolute (pinned: one link is the ground) | r_i + A_i s_i - r_j - A_j s_j | S0 Tab. 1; S1 eq. 47 |
| translation, across | d x (P_j - P_i) - e | S0 Tab. 1; S1 eqs. 66-67 |
| translation, orientation | u.v - cos, or u x v - sin, of a constant angle; as angles: S1 eq. 65 | S0 Tab. 1 (5), (6) |
| translation-revolute: a slot (roller: the ground's, along an axis) | d x (P_j - P_i) - e | S0 Tab. 1 (7), (3) |
| circular slot of centre M: a link without mass from M to the pin | (P - M).(P - M) - r^2 | |
| curved slot | signed distance of P from the nearest place of the curve, in the frame of its link | |
| links that are fastened | P_j - P_i, two rows, and the orientation of a translation | |
| angular driver | u.v - cos z and u x v - sin z; as angles: phi_j - phi_i - z | S0 Tab. 1; S1 eq. 79 |
| slide driver | d . (P_j - P_i) - start - z | |
| linear driver of a distance | (F - E).(F - E) / 2 - z^2 / 2 | |
| gear, belt | t_1 - r t_2 + (r - 1) t_c = 0, turns since the sketch, carrier c (Willis) | |
| rack; rolling on a line | d . (P_j - P_i) - start - lever (t_1 - t_2) = 0 | |
| rolling on a line | d x (P_j - P_i) - e = 0 | |
| rolling on a circle, two rows | C_2 - C_1 - R E(s) = 0, (1 - r) s = t_1 - r t_2: the line of centres carries | |
| cam by its law, translating | d . (P_j - P_i) - start - f(angle of the cam) = 0 | |
| cam by its law, oscillating | angle of the follower - f(angle of the cam) = 0, both seen from the carrier | |
| cam by its profile, roller or edge | length of T - C - f(direction of T - C seen from the cam) = 0 | |
| cam by its profile, flat face | n . (T - C) - f(direction of n seen from the cam) = 0 | |
| Geneva wheel | t_w - t_c + g(x_0 + t_k - t_c) - g(x_0) = 0, crank k, wheel w, x_0 from the line of centres | |

S0: Roupa, Goncalves, Tavares da Silva, "Dynamic analysis of planar multibody systems with fully Cartesian coordinates"
(Tab. 1, its right-hand sides corrected); S1: Flores, Lankarani, "Formulation for planar multibody dynamics" (eqs. 22
to 87, corrected: nu = +z', gamma = +z'' of a driver). Turns are counted: a driver that has gone round twice has turned
a gear with it twice. E(s) is the unit vector that has turned by s since the sketch.
"""
