"""Every table and every column once: name, type, unit, meaning. How rows are checked belongs in
`validate`.
"""
