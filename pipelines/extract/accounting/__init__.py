"""Every line of a document gets one role and every numeral one status. What is extracted belongs in the formats.

Nothing here knows a publisher or a sentence of a known page: what is set aside is set aside by a rule with a name.
"""
