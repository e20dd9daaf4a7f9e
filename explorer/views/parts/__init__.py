"""What do several views show? Pieces of pages; none of them is a page of its own."""
