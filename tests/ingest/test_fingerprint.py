"""Has every protocol one name, whatever the order of its settings?"""

from __future__ import annotations

import hashlib

from ingest.fingerprint import fingerprint


def test_a_protocol_that_is_not_recorded_has_no_name() -> None:
    assert fingerprint(None) is None


def test_worked_by_hand() -> None:
    assert fingerprint('{"width": 3, "model": "m"}') == hashlib.sha256(b'{"model":"m","width":3}').hexdigest()[:12]


def test_order_and_white_space_say_nothing_and_every_value_does() -> None:
    same = {fingerprint(text) for text in ('{"a": {"x": 1, "y": 2}, "b": 3}', '{"b":3,"a":{"y":2,"x":1}}')}
    other = {fingerprint(text) for text in ("{}", '{"a":1}', '{"a":1.0}', '{"a":"1"}', '{"a":true}', '{"a":null}', '{"a":[1]}', '{"b":1}')}
    assert len(same) == 1
    assert len(other) == 8


def test_a_protocol_in_any_script_has_a_name() -> None:
    assert fingerprint('{"task": "\u00fc\u2028"}') == hashlib.sha256('{"task":"\u00fc\u2028"}'.encode()).hexdigest()[:12]
    assert len(fingerprint('{"task": "\\ud83d"}') or "") == 12
