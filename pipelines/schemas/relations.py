"""Relations between columns of one row that the contracts of all tables require, by the columns that they need."""

ORDERED = (
    ("value_low", "value", "value_high"),
    ("factor_low", "factor", "factor_high"),
    ("price_low_usd", "price_usd", "price_high_usd"),
)
PLACED = ("char_start", "char_end", "text_printed")
