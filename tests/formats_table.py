"""What does the README's table of formats say? Written from what the readers say of themselves.

    python -m tests.formats_table    # writes it into README.md
"""

from __future__ import annotations

from explorer.commands.formats import markdown
from ingest.readers import READERS
from tests.logs import PROJECT

BEGINS, ENDS = "<!-- written by python -m tests.formats_table -->\n", "<!-- end of the table of formats -->\n"
README = PROJECT / "README.md"


def written() -> str:
    """README.md with the table as the readers have it now."""
    before, _, rest = README.read_text("utf-8").partition(BEGINS)
    _, _, after = rest.partition(ENDS)
    return before + BEGINS + markdown(READERS) + ENDS + after


if __name__ == "__main__":
    README.write_text(written(), "utf-8")
