"""All equations of a mechanism at once: Newton's method over a motion, dense, sparse or block by block; comparisons."""
