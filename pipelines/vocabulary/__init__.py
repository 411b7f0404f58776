"""What printed names mean: YAML files, one per kind of name, and the look-up over them.

A file lists entries of `name`, facts and `printed:` spellings exactly as found. Reading values
belongs in `values`.
"""
