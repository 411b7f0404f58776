"""Charts with known data: `plans.py` draws up what is made, `with_matplotlib.py` makes it,
`scoring.py` compares.
"""
