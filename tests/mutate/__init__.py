"""Does a reader survive every way in which a log can be bad, and is nothing lost in silence? Mutated logs, and the account of what came out."""
