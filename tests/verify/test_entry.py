"""Entries, digests and JSON are read in one form only."""

import hashlib
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
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


def run(monkeypatch: pytest.MonkeyPatch, check: Callable[..., str], *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["check.py", *arguments])
    entry.main(check, "check.py")


ERASES = "Ana \x1b[2K\r\u202eREFUSED\x9b2J\u2028\x07"


def test_a_published_text_gives_no_orders_to_the_console(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name of an inspector could erase a warning, and write another verdict over it."""
    run(monkeypatch, lambda: f"The draw holds: {ERASES}\nas it was published; «ü»")
    printed = capsys.readouterr().out
    seen = r"Ana \x1b[2K\r\u202eREFUSED\x9b2J\u2028\x07"
    assert printed == f"The draw holds: {seen}\nas it was published; «ü»\n"

    def refuse() -> str:
        raise forms.Refused(f"{ERASES}: not in the log\nThe draw holds")

    with pytest.raises(SystemExit) as refusal:
        run(monkeypatch, refuse)
    assert refusal.value.code == rf"REFUSED: {seen}: not in the log\nThe draw holds" + entry.NEXT


def test_what_the_console_cannot_show_is_printed_by_its_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as console:
        monkeypatch.setattr("sys.stdout", console)
        run(monkeypatch, lambda: "Ñandú")
    assert (tmp_path / "out").read_text() == "\\xd1and\\xfa\n"


@pytest.mark.parametrize(
    "compute, name",
    [
        (lambda: str(date.max + timedelta(days=2**40)), "OverflowError"),
        (lambda: str(Fraction("1/0")), "ZeroDivisionError"),
        (lambda: str(int("9" * 5_000)), "ValueError"),
        (lambda: str({"a": 1}["contest"]), "KeyError"),
        (lambda: str(next(iter(()))), "StopIteration"),
        (lambda: str(bytes(2**62)), "(MemoryError|OverflowError)"),
    ],
)
def test_what_cannot_be_computed_is_refused(
    monkeypatch: pytest.MonkeyPatch, compute: Callable[[], str], name: str
) -> None:
    """A document written to break the verifier is no fault of the verifier's."""
    with pytest.raises(SystemExit, match=rf"^REFUSED: it cannot be computed \({name}: "):
        run(monkeypatch, compute)


@pytest.mark.parametrize("content", [None, b"\xff\n"], ids=["missing", "not UTF-8"])
def test_a_file_that_cannot_be_read_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    file = tmp_path / "LOG"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr("sys.argv", ["public_log.py", str(file), "00" * 32])
    with pytest.raises(SystemExit, match=r"^REFUSED: .*(LOG: No such file|entry 1: not UTF-8)"):
        entry.main(verifier("public_log").check, "public_log.py LOG KEYS [HEAD]")
