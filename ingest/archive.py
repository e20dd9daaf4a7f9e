"""What lies in a zip archive, is the archive one log, and what are the plain bytes of one member?"""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

_ZIP = b"PK\x03\x04"
_ZSTANDARD = 93
_LOCAL_NAMES = 26
"""Where the lengths of name and extra field stand in the header before a member's bytes."""
_ONE_LOG = {"header.json", "_journal/start.json"}
"""Members that make an archive one log (Inspect's ``.eval``), not a bundle of logs."""


def members(path: Path) -> tuple[str, ...]:
    """Names of the files in a zip archive, sorted; empty for every other file, and for one that cannot be read."""
    try:
        with path.open("rb") as stream:
            if stream.read(len(_ZIP)) != _ZIP:
                return ()
        with zipfile.ZipFile(path) as archive:
            return tuple(sorted(i.filename for i in archive.infolist() if not i.is_dir()))
    except (OSError, zipfile.BadZipFile, ValueError, RuntimeError, EOFError, struct.error):
        return ()  # whoever opens it for reading says why


def is_one_log(names: tuple[str, ...]) -> bool:
    """Whether the members belong together, so that the archive is read as a whole."""
    return bool(_ONE_LOG & set(names))


def open_member(path: Path, name: str) -> Any:
    """A stream of one member's bytes. Python's zipfile does not unpack Zstandard before 3.14: its bytes come packed, as in any ``.zst`` file."""
    archive = zipfile.ZipFile(path)
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD:
        return archive.open(name)
    with archive, path.open("rb") as stream:
        stream.seek(info.header_offset + _LOCAL_NAMES)
        lengths = stream.read(4)
        stream.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), io.SEEK_CUR)
        return io.BytesIO(stream.read(info.compress_size))
