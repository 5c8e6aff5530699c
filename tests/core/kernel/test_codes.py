"""Check bearer codes: the typing errors that they detect or forgive, and the keys that they
separate.
"""

import hashlib
import hmac
from datetime import date, timedelta
from itertools import combinations
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel import codes
from core.kernel.codes import TICKET, VOUCHER, CodeKeys

FIRST = (b"a" * 32, b"b" * 32)
SECOND = (b"c" * 32, b"d" * 32)
KEYS = CodeKeys({"1": FIRST}, "1")
SECRET = b"s" * 32
DAY = date(2030, 3, 2)
IDENTS = [UUID(int=n * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128) for n in range(1, 41)]


def typed_error(text: str, *kinds: bytes, keys: CodeKeys = KEYS) -> str:
    with pytest.raises(codes.Invalid) as caught:
        codes.parse(text, keys, *kinds or (TICKET,))
    return caught.value.code


@pytest.mark.article("14.II.3")
@given(ident=st.uuids(), secret=st.binary(min_size=32, max_size=64))
def test_a_code_reads_back_as_printed(ident: UUID, secret: bytes) -> None:
    code = codes.issue(TICKET, ident, secret, KEYS)
    assert codes.parse(code.grouped, KEYS, TICKET) == code
    assert code == codes.issue(TICKET, ident, secret, KEYS)
    assert [len(group) for group in code.grouped.split("-")] == [4] * 6
    assert code.version == "1"


def test_a_code_tells_its_day_and_has_eighty_bits_of_the_keyed_hash() -> None:
    """Read the layout independently: int(..., 32) with an alphabet made here."""
    ident = IDENTS[0]
    code = codes.issue(TICKET, ident, SECRET, KEYS, day=DAY)
    native = str.maketrans(codes.ALPHABET, "0123456789abcdefghijklmnopqrstuv")
    key = hmac.new(FIRST[0], b"trot code body key\0" + SECRET, hashlib.sha256).digest()
    seed = hmac.new(key, b"trot code body\0T" + ident.bytes, hashlib.sha256).digest()
    assert int(code.text[1:3].translate(native), 32) == DAY.toordinal() % 1024
    assert int(code.text[3:19].translate(native), 32) == int.from_bytes(seed[:10], "big")
    mac = hmac.new(FIRST[0], b"trot code authenticity\0T" + code.text[:19].encode(), "sha256")
    bits = int.from_bytes(mac.digest(), "big") >> (256 - 20)
    assert int(code.text[19:23].translate(native), 32) == bits


@given(day=st.dates(), ident=st.uuids())
def test_the_digest_of_a_code_begins_with_its_day(day: date, ident: UUID) -> None:
    """Codes of one day stand together in the index: a sale writes where others have just written.

    Before, a digest fell on any page of the index, and the more there were of them, the rarer had
    another sale touched it since the checkpoint.
    """
    code = codes.issue(TICKET, ident, SECRET, KEYS, day=day)
    same_day = codes.issue(TICKET, UUID(int=~ident.int % 2**128), SECRET, KEYS, day=day)
    digest = KEYS.digest(codes.parse(code.grouped, KEYS, TICKET))
    assert digest[:2] == codes.day_bytes(day) == KEYS.digest(same_day)[:2]
    assert digest[2:] == hmac.digest(FIRST[1], _digested(code), "sha256")[:13]
    assert digest[2:] != KEYS.digest(same_day)[2:]


def test_days_of_two_years_and_a_half_begin_in_their_order() -> None:
    """After 1,024 days the numbers begin again, between those of days that have left."""
    first = date(2030, 1, 1) - timedelta(days=date(2030, 1, 1).toordinal() % 1024)
    days = [first + timedelta(days=number) for number in range(1024)]
    numbers = [codes.day_bytes(day) for day in days]
    assert numbers == sorted(set(numbers))
    assert codes.day_bytes(first + timedelta(days=1024)) == numbers[0]


def test_who_changes_the_day_of_a_code_has_forged_it() -> None:
    code = codes.issue(TICKET, IDENTS[0], SECRET, KEYS, day=DAY)
    other = codes.issue(TICKET, IDENTS[0], SECRET, KEYS, day=DAY + timedelta(days=1))
    moved = code.text[0] + other.text[1:3] + code.text[3:23]
    assert typed_error(moved + codes._check(moved)) == "code_forged"


def _digested(code: codes.Code) -> bytes:
    return b"trot code digest\0" + code.kind + code.text.encode()


def test_who_knows_the_secret_but_no_key_knows_no_bit_of_the_code() -> None:
    """All but the day, which is on the paper."""
    other = codes.CodeKeys({"1": (b"x" * 32, b"y" * 32)}, "1")
    code = codes.issue(TICKET, IDENTS[0], SECRET, KEYS, day=DAY)
    forged = codes.issue(TICKET, IDENTS[0], SECRET, other, day=DAY)
    assert code.text[3:19] != forged.text[3:19] and code.text[19:23] != forged.text[19:23]


@pytest.mark.parametrize(
    "link",
    ["https://lototrot.example/check#{}", "HTTPSñ&&a-b.example&check·{}", "http://[::1]/#{}"],
)
def test_the_address_of_a_symbol_is_passed_over(link: str) -> None:
    code = codes.issue(TICKET, IDENTS[0], SECRET, KEYS)
    assert codes.parse(link.format(code.text), KEYS, TICKET) == code
    assert codes.parse(link.format(code.grouped.lower()), KEYS, TICKET) == code
    assert typed_error(f"check#{code.text}") == "code_malformed"
    assert typed_error(link.format("")) == "code_malformed"


@pytest.mark.article("14.II.3")
def test_every_single_wrong_character_is_a_typing_error() -> None:
    tried = 0
    for ident in IDENTS:
        text = codes.issue(TICKET, ident, SECRET, KEYS).text
        for place, right in enumerate(text):
            for wrong in codes.ALPHABET.replace(right, ""):
                assert typed_error(text[:place] + wrong + text[place + 1 :]) == "code_mistyped"
                tried += 1
    assert tried == len(IDENTS) * 24 * 31


@pytest.mark.article("14.II.3")
def test_every_swap_of_two_characters_is_a_typing_error() -> None:
    tried = 0
    for ident in IDENTS:
        text = codes.issue(TICKET, ident, SECRET, KEYS).text
        for left, right in combinations(range(24), 2):
            if text[left] == text[right]:
                continue
            swapped = list(text)
            swapped[left], swapped[right] = swapped[right], swapped[left]
            assert typed_error("".join(swapped)) == "code_mistyped"
            tried += 1
    assert tried > len(IDENTS) * 200


def test_the_check_is_complete_for_every_pair_of_places_and_values() -> None:
    """The check is linear, so it is enough that no error in one or two places sums to zero."""
    weight = [1]
    while len(weight) < 24:
        weight.append(codes._TIMES_ALPHA[weight[-1]])
    assert len(set(weight)) == 24

    def times(a: int, b: int) -> int:
        total = 0
        while b:
            total, a, b = total ^ (a if b & 1 else 0), codes._TIMES_ALPHA[a], b >> 1
        return total

    for error in range(1, 32):
        assert all(times(w, error) for w in weight)
        assert all(times(a, error) ^ times(b, error) for a, b in combinations(weight, 2))


@given(ident=st.uuids(), data=st.data())
def test_typing_is_forgiven_as_crockford_does(ident: UUID, data: st.DataObject) -> None:
    code = codes.issue(VOUCHER, ident, SECRET, KEYS)
    looks_like = {"0": "0Oo", "1": "1IiLl"}
    typed = ""
    for character in code.text:
        typed += data.draw(st.sampled_from(["", " ", "-", "\n", "\t", "- "]))
        shapes = looks_like.get(character, character + character.lower())
        typed += data.draw(st.sampled_from(shapes))
    assert codes.parse(typed, KEYS, VOUCHER) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "0" * 23,
        "0" * 25,
        "U" + "0" * 23,
        "é" + "0" * 23,
        "0" * 23 + "*",
        "0" * 10_000,
        "\u0131" + "0" * 23,
        "\uff11" + "0" * 23,
        " " * 200,
        "\x00" + "0" * 23,
    ],
)
def test_what_cannot_be_a_code_is_malformed(text: str) -> None:
    assert typed_error(text) == "code_malformed"


@given(st.text(max_size=120))
def test_any_text_gets_one_of_the_three_answers(text: str) -> None:
    assert typed_error(text) in {"code_malformed", "code_mistyped", "code_forged"}


@given(st.text(alphabet=codes.ALPHABET, min_size=23, max_size=23))
def test_a_made_up_code_with_a_right_check_is_forged(text: str) -> None:
    assert typed_error(text + codes._check(text)) == "code_forged"


def test_every_change_of_the_signed_part_is_forged_even_with_a_new_check() -> None:
    text = codes.issue(TICKET, IDENTS[0], SECRET, KEYS).text
    for place in range(23):
        for wrong in codes.ALPHABET.replace(text[place], ""):
            changed = text[:place] + wrong + text[place + 1 : 23]
            assert typed_error(changed + codes._check(changed)) == "code_forged"


def test_kinds_secrets_and_documents_are_kept_apart() -> None:
    ticket = codes.issue(TICKET, IDENTS[0], SECRET, KEYS)
    voucher = codes.issue(VOUCHER, IDENTS[0], SECRET, KEYS)
    other = codes.issue(TICKET, IDENTS[0], b"t" * 32, KEYS)
    bodies = {code.text[3:19] for code in (ticket, voucher, other)}
    assert len(bodies) == 3
    assert typed_error(voucher.grouped, TICKET) == "code_forged"
    assert codes.parse(voucher.grouped, KEYS, TICKET, VOUCHER) == voucher
    same_text = codes.Code(VOUCHER, ticket.text)
    assert KEYS.digest(same_text) != KEYS.digest(ticket)
    assert len({codes.issue(TICKET, ident, SECRET, KEYS).text for ident in IDENTS}) == len(IDENTS)


def test_the_digest_has_fifteen_bytes_and_depends_on_its_key() -> None:
    code = codes.issue(TICKET, IDENTS[0], SECRET, KEYS)
    assert KEYS.digest(code) == codes.digest(code, FIRST[1])
    assert len(KEYS.digest(code)) == 15
    assert codes.digest(code, SECOND[1]) != codes.digest(code, FIRST[1])


def test_keys_rotate_without_losing_old_codes() -> None:
    rotated = CodeKeys({"1": FIRST, "2": SECOND}, "2")
    old = codes.issue(TICKET, IDENTS[0], SECRET, KEYS)
    new = codes.issue(TICKET, IDENTS[0], SECRET, rotated)
    assert (old.version, new.version) == ("1", "2")
    assert codes.parse(old.grouped, rotated, TICKET) == old
    assert rotated.digest(old) == KEYS.digest(old)
    assert codes.issue(TICKET, IDENTS[0], SECRET, rotated, version="1") == old
    assert typed_error(new.grouped) == "code_forged"
    retired = CodeKeys({"2": SECOND}, "2")
    assert typed_error(old.grouped, keys=retired) == "code_forged"
    swapped = CodeKeys({"1": SECOND}, "1")
    assert typed_error(old.grouped, keys=swapped) == "code_forged"


@pytest.mark.parametrize(
    ("ring", "current"),
    [
        ({"1": FIRST}, "2"),
        ({}, "1"),
        ({"U": FIRST}, "U"),
        ({"11": FIRST}, "11"),
        ({"1": (b"short", b"b" * 32)}, "1"),
        ({"1": (b"a" * 32, b"a" * 32)}, "1"),
        ({"1": FIRST, "2": FIRST}, "1"),
    ],
)
def test_a_ring_that_cannot_serve_is_refused(
    ring: dict[str, tuple[bytes, bytes]], current: str
) -> None:
    with pytest.raises(ValueError):
        CodeKeys(ring, current)


def test_misuse_by_the_programmer_is_refused() -> None:
    with pytest.raises(ValueError):
        codes.issue(TICKET, IDENTS[0], b"short", KEYS)
    with pytest.raises(ValueError):
        codes.issue(b"TT", IDENTS[0], SECRET, KEYS)
    with pytest.raises(ValueError):
        codes.parse("0" * 24, KEYS)


def test_neither_codes_nor_keys_show_in_a_trace() -> None:
    code = codes.issue(TICKET, IDENTS[0], SECRET, KEYS)
    assert code.text not in repr(code) and code.grouped not in str(code)
    assert "aaaa" not in repr(KEYS)


def test_a_commitment_tells_its_holder_and_nobody_else() -> None:
    code = codes.issue(TICKET, IDENTS[0], SECRET, KEYS)
    blind = KEYS.blind(code, IDENTS[0])
    committed = KEYS.commitment(code, IDENTS[0])
    message = b"trot code commitment\0T" + code.text.encode() + blind
    assert (len(blind), committed) == (16, hashlib.sha256(message).digest())
    others = {codes.commitment(code, blind[:15] + b"x"), KEYS.commitment(code, IDENTS[1])}
    assert committed not in others and len({KEYS.blind(code, each) for each in IDENTS}) == len(
        IDENTS
    )
    rotated = CodeKeys({"1": FIRST, "2": SECOND}, "2")
    assert rotated.commitment(code, IDENTS[0]) == committed  # by the version that the code carries
