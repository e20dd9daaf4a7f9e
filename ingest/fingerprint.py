"""Which protocol was this run made under? A short name for the whole of its settings."""

from __future__ import annotations

import hashlib
import json


def fingerprint(protocol: str | None) -> str | None:
    """First 12 hex digits of sha256 over the sorted JSON of a protocol; None where none is recorded."""
    if protocol is None:
        return None
    text = json.dumps(json.loads(protocol), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
