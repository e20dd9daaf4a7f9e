"""``python -m explorer``: the same as the ``branchlight`` command."""

from __future__ import annotations

import sys

from explorer.commands import main

if __name__ == "__main__":
    sys.exit(main())
