"""A copy of the public log is accepted only if it is complete and signed in one chain."""

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.support.verifying.load import verifier

public_log, entry, forms = verifier("public_log"), verifier("entry"), verifier("forms")
PRIVATE = [Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2)]
PUBLIC = [key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) for key in PRIVATE]
NAMES = [entry.key_name(key) for key in PUBLIC]


def publication(number: int, before: str | None, reason: str) -> dict[str, Any]:
    return {
        "format": "trot-key-1",
        "key": NAMES[number],
        "public_key": PUBLIC[number].hex(),
        "replaces": before,
        "reason": reason,
    }


def chain(*items: tuple[str, str, dict[str, Any], int]) -> list[dict[str, Any]]:
    """Return entries of (kind, subject, document, number of the signing key)."""
    entries: list[dict[str, Any]] = []
    previous = "00" * 32
    for number, (kind, subject, document, signer) in enumerate(items, start=1):
        body = {
            "format": "trot-log-1",
            "sequence": number,
            "previous": previous,
            "at": f"2027-04-10T10:00:0{number}.000000Z",
            "kind": kind,
            "subject": subject,
            "document": document,
            "key": NAMES[signer],
        }
        signature = PRIVATE[signer].sign(entry.canonical(body)).hex()
        entries.append(body | {"signature": signature})
        previous = entry.digest(entries[-1])
    return entries


def three() -> list[dict[str, Any]]:
    return chain(
        ("proofs.key", NAMES[0], publication(0, None, "first"), 0),
        ("other", "a", {"x": 1}, 0),
        ("other", "b", {"x": 2}, 0),
    )


def test_a_complete_log_holds() -> None:
    verdict = public_log.log_holds(three(), [PUBLIC[0]])
    assert verdict.startswith("WHOLE: 3 entries") and verdict.endswith(entry.digest(three()[-1]))


def test_a_log_without_entries_is_refused(tmp_path: Path) -> None:
    """Nothing is no whole log: a download that failed must not say that all is well."""
    empty = tmp_path / "LOG"
    empty.write_bytes(b"")
    with pytest.raises(forms.Refused, match="LOG: it has no entry"):
        public_log.check(str(empty), "00" * 32)


@pytest.mark.parametrize("missing", [0, 1])
def test_a_missing_entry_is_named(missing: int) -> None:
    entries = three()
    del entries[missing]
    with pytest.raises(forms.Refused, match=f"entry {missing + 1}.sequence"):
        public_log.log_holds(entries, [PUBLIC[0]])


@pytest.mark.parametrize(
    "field, value",
    [
        ("document", {"x": 3}),
        ("at", "2027-04-10T10:00:09.000000Z"),
        ("subject", "c"),
        ("previous", "00" * 32),
        ("key", "00" * 8),
    ],
)
def test_a_changed_entry_is_named(field: str, value: Any) -> None:
    entries = three()
    entries[1] |= {field: value}
    with pytest.raises(forms.Refused, match=r"^entry 2\."):
        public_log.log_holds(entries, [PUBLIC[0]])


@pytest.mark.parametrize(
    "wrong",
    [
        {"names_of_staff": ["Margalida Bibiloni"]},
        {"names_of_staff": "00" * 32},
        {"erased_at": "2041-04-10"},
        {"format": "trot-names-erased-2"},
        {"names": []},
    ],
)
def test_an_entry_of_erased_names_that_lacks_its_form_is_refused(wrong: dict[str, Any]) -> None:
    key = ("proofs.key", NAMES[0], publication(0, None, "first"), 0)
    good = {
        "format": "trot-names-erased-1",
        "erased_at": "2041-04-10T10:00:00.000000Z",
        "names_of_staff": ["ab" * 32],
        "names_of_operators": [],
    }
    (field,) = wrong
    wrong_entry = ("periods.names_erased", "proposal:1", good | wrong, 0)
    with pytest.raises(forms.Refused, match=rf"^entry 2, periods\.names_erased\.{field}"):
        public_log.log_holds(chain(key, wrong_entry), [PUBLIC[0]])
    right = ("periods.names_erased", "proposal:1", good, 0)
    assert public_log.log_holds(chain(key, right), [PUBLIC[0]])


def test_a_kind_has_one_entry_for_a_subject() -> None:
    key = ("proofs.key", NAMES[0], publication(0, None, "first"), 0)
    with pytest.raises(forms.Refused, match=r"entry 3\.subject: there is one other"):
        public_log.log_holds(chain(key, *[("other", "a", {}, 0)] * 2), [PUBLIC[0]])


def test_a_rotated_key_is_confirmed_by_the_one_before_and_a_lost_one_by_the_reader() -> None:
    first = ("proofs.key", NAMES[0], publication(0, None, "first"), 0)
    after = ("other", "a", {}, 1)
    rotated = ("proofs.key", NAMES[1], publication(1, NAMES[0], "rotation"), 0)
    assert public_log.log_holds(chain(first, rotated, after), [PUBLIC[0]])
    lost = ("proofs.key", NAMES[1], publication(1, NAMES[0], "loss"), 1)
    assert public_log.log_holds(chain(first, lost, after), PUBLIC)
    with pytest.raises(forms.Refused, match="public_key"):
        public_log.log_holds(chain(first, lost, after), [PUBLIC[0]])


@pytest.mark.parametrize("first_end", ["rotation", "compromise"])
@pytest.mark.parametrize("return_as", ["rotation", "loss", "compromise"])
def test_a_key_that_was_replaced_never_comes_back(first_end: str, return_as: str) -> None:
    """A reader gives the first key and those of losses: a thief of the first has one of them."""
    begin = ("proofs.key", NAMES[0], publication(0, None, "first"), 0)
    by = int(first_end != "rotation")
    replaced = ("proofs.key", NAMES[1], publication(1, NAMES[0], first_end), by)
    again, after = publication(0, NAMES[1], return_as), ("other", "b", {}, 0)
    assert public_log.log_holds(chain(begin, replaced, ("other", "a", {}, 1)), PUBLIC)
    for subject in (NAMES[0], "another"):
        back = ("proofs.key", subject, again, return_as == "rotation")
        with pytest.raises(forms.Refused, match=r"^entry 3\.subject: "):
            public_log.log_holds(chain(begin, replaced, back, after), PUBLIC)


def test_a_key_is_published_about_itself() -> None:
    begin = ("proofs.key", NAMES[0], publication(0, None, "first"), 0)
    other = ("proofs.key", "another", publication(1, NAMES[0], "rotation"), 0)
    with pytest.raises(forms.Refused, match=r"^entry 2\.subject: "):
        public_log.log_holds(chain(begin, other), [PUBLIC[0]])


@pytest.mark.parametrize("wrong", [{"key": NAMES[0]}, {"format": "trot-key-use-2"}, {"more": 1}])
def test_the_first_entry_after_a_rotation_names_the_key_that_signs_it(
    wrong: dict[str, Any],
) -> None:
    used = {"format": "trot-key-use-1", "key": NAMES[1]}

    def rotated(document: dict[str, Any]) -> list[dict[str, Any]]:
        return chain(
            ("proofs.key", NAMES[0], publication(0, None, "first"), 0),
            ("proofs.key", NAMES[1], publication(1, NAMES[0], "rotation"), 0),
            ("proofs.key_in_use", NAMES[1], document, 1),
        )

    assert public_log.log_holds(rotated(used), [PUBLIC[0]]).startswith("WHOLE: 3 entries")
    with pytest.raises(forms.Refused, match="entry 3"):
        public_log.log_holds(rotated(used | wrong), [PUBLIC[0]])


def test_entries_are_found_and_their_order_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "LOG"
    file.write_text("\n".join(json.dumps(each) for each in three()))
    log = public_log.Log(str(file), PUBLIC[0].hex())
    assert log.has("other", "a") and not log.has("other", "c")
    assert log.document("other", "b") == {"x": 2}
    assert log.all("other") == [{"x": 1}, {"x": 2}]
    log.in_order(("other", "a"), ("other", "b"))
    with pytest.raises(forms.Refused, match="published too early"):
        log.in_order(("other", "b"), ("other", "a"))
    with pytest.raises(forms.Refused, match="other c: not in the log"):
        log.entry("other", "c")


@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029"])
def test_a_sign_in_a_text_that_may_end_a_line_ends_no_entry(tmp_path: Path, sign: str) -> None:
    """Canonical JSON has these signs as they are. A person may paste one into any reason."""
    file = tmp_path / "LOG"
    entries = chain(
        ("proofs.key", NAMES[0], publication(0, None, "first"), 0),
        ("other", "a", {"reason": f"one{sign}two"}, 0),
    )
    file.write_bytes(b"".join(entry.canonical(each) + b"\n" for each in entries))
    log = public_log.Log(str(file), PUBLIC[0].hex())
    assert log.document("other", "a") == {"reason": f"one{sign}two"}


def test_the_head_on_a_slip_is_compared(tmp_path: Path) -> None:
    file, entries = tmp_path / "LOG", three()
    file.write_text("\n".join(json.dumps(each) for each in entries))
    digits = entry.digest(entries[1])[:16]
    arguments = (str(file), PUBLIC[0].hex())
    for head in (f"2:{digits}", f"2 · {digits[:8]} {digits[8:]}".upper()):
        assert "as it was at entry 2" in public_log.check(*arguments, head)
    for head, words in (
        (f"1:{digits}", "the slip says"),
        (f"9:{digits}", "not in the log"),
        (f"2:{digits[:15]}", "all digits"),
        ("Public log", "all digits"),
        ("·", "all digits"),
    ):
        with pytest.raises(forms.Refused, match=words):
            public_log.check(*arguments, head)


def test_an_entry_dated_before_one_that_is_before_it_is_named(tmp_path: Path) -> None:
    """Published late and dated back, it counts as published no earlier than those before it. A
    clock that was set back makes such entries, too: the log is not refused for them.
    """
    entries = three()
    before, late = entries[1], entries[2]
    body = {name: value for name, value in late.items() if name != "signature"}
    body |= {"at": "2027-04-10T08:00:00.000000Z", "document": {"done_at": before["at"]}}
    entries[2] = body | {"signature": PRIVATE[0].sign(entry.canonical(body)).hex()}
    file = tmp_path / "LOG"
    file.write_text("\n".join(json.dumps(each) for each in entries))
    log = public_log.Log(str(file), PUBLIC[0].hex())
    assert log.verdict.endswith("; 1 DATED OUT OF TURN")
    assert "DATED" not in public_log.log_holds(three(), [PUBLIC[0]])
    assert log.published_at("other", "a") == log.published_at("other", "b") == before["at"]


@pytest.mark.parametrize(
    ("stated", "good"),
    [
        ("2027-04-10T10:00:03.000000Z", True),
        ("2027-04-10T09:00:03.000000Z", True),
        ("2027-04-10T09:00:02.999999Z", False),
        ("2027-04-10T10:00:03.000001Z", False),
    ],
)
def test_an_act_is_published_within_an_hour(tmp_path: Path, stated: str, good: bool) -> None:
    first = ("proofs.key", NAMES[0], publication(0, None, "first"), 0)
    last = ("other", "b", {"done_at": stated}, 0)
    file = tmp_path / "LOG"
    entries = chain(first, ("other", "a", {}, 0), last)
    file.write_text("\n".join(json.dumps(each) for each in entries))
    log = public_log.Log(str(file), PUBLIC[0].hex())
    if good:
        log.dated("other", "b", "done_at")
        return
    with pytest.raises(forms.Refused, match=r"^other\.done_at: not when it was published"):
        log.dated("other", "b", "done_at")


def dated(tmp_path: Path, *ats: str) -> Any:
    """Return the log of entries that were dated so, the key's first."""
    facts = [("other", str(n), {"done_at": at}, 0) for n, at in enumerate(ats, start=1)]
    entries = chain(("proofs.key", NAMES[0], publication(0, None, "first"), 0), *facts)
    previous = entries[0]
    for at, each in zip(ats, entries[1:], strict=True):
        each |= {"at": at, "previous": entry.digest(previous)}
        each["signature"] = PRIVATE[0].sign(entry.canonical(entry.unsigned(each))).hex()
        previous = each
    file = tmp_path / "LOG"
    file.write_text("\n".join(json.dumps(each) for each in entries))
    return public_log.Log(str(file), PUBLIC[0].hex())


def test_an_entry_of_a_clock_that_was_ahead_dates_nothing_that_follows(tmp_path: Path) -> None:
    """Somebody acts while the clock is ahead, and it is set right: what is published in the hours
    after it was published when it says. A single one that is dated back is refused all the same.
    """
    day = "2027-04-10T1{}:30:00.000000Z"
    log = dated(tmp_path, *map(day.format, (1, 7, 2, 3, 4)))
    assert log.verdict.endswith("; 1 DATED OUT OF TURN")
    for number in "12345":
        log.dated("other", number, "done_at")
    assert log.published_at("other", "2") == day.format(7)
    assert log.published_at("other", "3") == day.format(2)
    log = dated(tmp_path, *map(day.format, (2, 3, 4, 1)))
    with pytest.raises(forms.Refused, match=r"^other\.done_at: not when it was published"):
        log.dated("other", "4", "done_at")


@pytest.mark.parametrize(
    ("instants", "turns"),
    [
        ("", ""),
        ("1123", "yyyy"),
        ("1923", "ynyy"),
        ("5671", "yyyn"),
        ("21", "yn"),
        ("912345", "nyyyyy"),
    ],
)
def test_the_longest_run_that_never_goes_back_is_in_turn(instants: str, turns: str) -> None:
    assert forms.in_turn([*instants]) == [turn == "y" for turn in turns]
