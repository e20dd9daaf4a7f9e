"""How does an answer look? Plotly figures from what the analysis found, one module a question."""
