"""Entries, digests and JSON are read in one form only."""

import hashlib
from pathlib import Path

import pytest

from core.kernel.canonical import canonical_bytes
from tests.support.verifying.load import verifier

entry, forms = verifier("entry"), verifier("forms")
FORM = {"tickets": forms.whole, "name": forms.text}


def document(**fields: object) -> dict[str, object]:
    return fields | {"digests": {name: entry.digest_of(value) for name, value in fields.items()}}


def test_canonical_json_is_that_of_the_system() -> None:
    value = {"b": [1, None, True], "a": "Jornada de trot · «ü»", "c": {"y": 2, "x": "\n"}}
    assert entry.canonical(value) == canonical_bytes(value)
    assert entry.digest_of(value) == hashlib.sha256(canonical_bytes(value)).hexdigest()


def test_the_signature_is_not_part_of_the_digest() -> None:
    assert entry.unsigned({"a": 1, "signature": "s"}) == {"a": 1}
    assert entry.digest({"a": 1, "signature": "s"}) == entry.digest_of({"a": 1})


def test_a_changed_field_is_named() -> None:
    entry.intact(document(tickets=3, name="x"), FORM, "seal")
    changed = document(tickets=3, name="x") | {"tickets": 4}
    with pytest.raises(forms.Refused, match=r"^seal\.tickets: not as it was published"):
        entry.intact(changed, FORM, "seal")
    with pytest.raises(forms.Refused, match=r"seal\.name"):
        entry.intact({"tickets": 3, "digests": {}}, FORM, "seal")


def test_computed_fields_must_agree() -> None:
    entry.same({"a": 1, "b": 2}, {"a": 1}, "place")
    with pytest.raises(forms.Refused, match=r"^place\.b: should be 3"):
        entry.same({"a": 1, "b": 2}, {"b": 3}, "place")


def test_keys_are_read_from_hexadecimal() -> None:
    assert entry.keys_of("00" * 32 + "," + "ff" * 32) == [bytes(32), b"\xff" * 32]
    for words in ("", "00" * 31, "00" * 32 + ",", "0G" * 32, "AA" * 32):
        with pytest.raises(forms.Refused, match="KEYS"):
            entry.keys_of(words)


@pytest.mark.parametrize(
    "text, why",
    [
        ('{"a": 1, "a": 1}', "a name twice"),
        ('{"a": 1.0}', "not a whole number"),
        ('{"a": 1e3}', "not a whole number"),
        ('{"a": ', "not JSON"),
        ("", "not JSON"),
        ('{"a": NaN}', "not a whole number"),
        ('{"a": -Infinity}', "not a whole number"),
        ("1" * 5_000, "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 900 + "1" + "}" * 900, "nested too deeply"),
        (r'{"a": "\ud800"}', "half of a pair"),
        (r'{"\uDFFF": 1}', "half of a pair"),
    ],
)
def test_json_has_one_form(text: str, why: str) -> None:
    with pytest.raises(forms.Refused, match=f"^FILE: .*{why}"):
        entry.parsed(text, "FILE")


def test_json_of_whole_numbers_is_read() -> None:
    assert entry.parsed('{"a": [1, "x", null, true]}', "FILE") == {"a": [1, "x", None, True]}
    assert entry.parsed(r'["\ud83d\ude00", "\\ud800"]', "FILE") == ["\U0001f600", "\\ud800"]


@pytest.mark.parametrize("content", [None, b"\xff\n"], ids=["missing", "not UTF-8"])
def test_a_file_that_cannot_be_read_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    file = tmp_path / "LOG"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr("sys.argv", ["public_log.py", str(file), "00" * 32])
    with pytest.raises(SystemExit, match=r"^REFUSED: .*(No such file|codec can't decode)"):
        entry.main(verifier("public_log").check, "public_log.py LOG KEYS [HEAD]")
