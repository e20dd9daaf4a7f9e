"""From raw logs to the store: source, readers, checks, Parquet. Import the module you need; this package imports none."""
