"""From which nodes can a right answer still be reached, who says so, and where do the sources disagree?

Statements are collected from the store (``statements``), known-good routes are matched against the tree (``routes``), and both are
spread: a true node makes its ancestors true (``spread``).
"""
