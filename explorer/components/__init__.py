"""How is a run drawn? Python computes layout and counts, testable without a browser; the scripts draw, hit-test and listen."""
