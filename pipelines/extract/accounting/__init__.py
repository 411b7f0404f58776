"""Every line of a document gets one role and every numeral one status, by rules with names that
know no publisher.
"""
