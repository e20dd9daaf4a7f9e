"""Which page shows it? Each chooses, computes and shows."""
