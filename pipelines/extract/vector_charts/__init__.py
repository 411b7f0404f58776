"""Charts drawn as vectors on a page: what their bars, lines and points are worth, from the geometry alone.

Pure functions over `read.page`: a page goes in, charts come out. Rows and evidence belong in the source format.
"""
