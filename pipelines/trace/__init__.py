"""From one row of the warehouse back to the printed characters it came from, for
`benchledger trace`.
"""
