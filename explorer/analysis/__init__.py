"""What do the rows mean? Plain functions from tables to judgements, one module a question."""
