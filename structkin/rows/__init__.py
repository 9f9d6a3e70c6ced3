"""The equations of joints and drivers: each written once as a row, and one evaluator for all of them.

In goes what a joint says about points and directions that are affine in complex slots (`affine`): sums of

    Re(w conj(a) b) + linear terms in counted turns and inputs + constant        (`quadrics`)

or, where teeth roll, cams push and angles are driven between moving links, functions of turns and vectors (`windings`,
`curves`, `relations`). Out come, over lanes, the rows, their Jacobian, and their second and third derivatives along
directions (`equations`). The general group, the families of coordinates and what is built on them evaluate their rows
here and nowhere else.
"""
