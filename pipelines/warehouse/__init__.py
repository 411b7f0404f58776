"""The warehouse file: who reads it, who fills its tables, and the queries that make them."""
