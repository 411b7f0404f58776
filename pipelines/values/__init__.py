"""One printed value to one typed value with its rounding interval. Names of things belong in
`vocabulary`.
"""
