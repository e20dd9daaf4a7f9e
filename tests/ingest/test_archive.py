"""Is a zip archive a bundle of logs or one log, and are its members read whatever they are packed with?"""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from ingest import archive
from ingest.discover import discover
from ingest.errors import TraceError
from ingest.source import Source


def packed(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w") as target:
        for name, text in members.items():
            target.writestr(name.replace("__", "/").replace("_dot_", "."), text)
    return path


def test_a_bundle_of_logs_is_read_member_by_member(tmp_path: Path) -> None:
    path = packed(tmp_path / "logs.zip", b_dot_json="{}", a__a_dot_json="{}")
    assert [source.member for source in discover([str(path)]) if isinstance(source, Source)] == ["a/a.json", "b.json"]
    assert Source(path).members() == ()


def test_an_archive_with_a_header_is_one_log_and_knows_its_members(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.eval", header_dot_json="{}", samples__1_dot_json='{"id": 1}')
    (source,) = discover([str(path)])
    assert isinstance(source, Source)
    assert (source.member, source.stem) == (None, "a")
    assert [member.name for member in source.members()] == [f"{path}!header.json", f"{path}!samples/1.json"]
    assert source.members()[1].json() == {"id": 1}


def test_what_is_no_archive_or_a_damaged_one_has_no_members(tmp_path: Path) -> None:
    plain, damaged = tmp_path / "a.json", tmp_path / "b.zip"
    plain.write_text("{}")
    damaged.write_bytes(packed(tmp_path / "c.zip", a_dot_json="{}").read_bytes()[:40])
    assert [archive.members(path) for path in (plain, damaged, tmp_path / "missing")] == [(), (), ()]


def test_an_archive_with_names_that_are_no_text_has_no_members_and_breaks_nothing(tmp_path: Path) -> None:
    path = flagged(tmp_path / "a.zip", 0x800)  # says that its names are UTF-8
    path.write_bytes(path.read_bytes().replace(b"a.json", b"\xbd.json"))
    assert [item.path for item in discover([str(path)]) if isinstance(item, Source)] == [path]


def test_a_member_behind_a_password_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = flagged(tmp_path / "a.zip", 0x1)
    with pytest.raises(TraceError, match=r"(?s)a\.zip!a\.json: cannot be read: .*without a password"):
        Source(path, "a.json").json()


def flagged(path: Path, flag: int) -> Path:
    """An archive that says something of its one member."""
    data = bytearray(packed(path, a_dot_json="{}").read_bytes())
    for at in (6, data.rindex(b"PK\x01\x02") + 8):
        data[at : at + 2] = flag.to_bytes(2, "little")
    path.write_bytes(data)
    return path


def test_a_member_packed_in_an_unknown_way_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", a_dot_json="{}")
    data = bytearray(path.read_bytes())
    data[8:10] = (97).to_bytes(2, "little")
    central = data.rindex(b"PK\x01\x02")
    data[central + 10 : central + 12] = (97).to_bytes(2, "little")
    path.write_bytes(data)
    with pytest.raises(TraceError, match=r"a\.zip!a\.json: cannot be read: packed in a way that is not known here"):
        Source(path, "a.json").json()
