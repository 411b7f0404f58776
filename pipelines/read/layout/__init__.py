"""Words on a page to lines in the order of reading, by their places alone. Their meaning belongs in
`extract`.
"""
