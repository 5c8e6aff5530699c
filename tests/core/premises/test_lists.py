"""Read premises to be opened from a CSV file, and refuse what is not one, by its line."""

import datetime

import pytest

from core.premises.lists import COLUMNS, MAX_BYTES, ListMalformed, opening_read
from core.premises.openings import NewAuthorisation, NewPremises, NewTerminal

HEAD = ";".join(COLUMNS)
BAR = "P1;Bar Trot;establishment;Carrer Nou 1;Manacor;lototrot promotrot;2030-03-01;;AUT 1;T1 T2"
BEGINS = datetime.datetime(2030, 2, 28, 23, tzinfo=datetime.UTC)


def read(*lines: str) -> object:
    return opening_read("\n".join(lines).encode())


@pytest.mark.parametrize("delimiter", [";", ","])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_premises_with_what_they_may_and_have(delimiter: str, mark: bytes) -> None:
    text = f"{HEAD}\r\n{BAR}\r\nP0;;;;;promotrot;2030-03-01;2030-03-02;AUT 2;\r\n"
    opening = opening_read(mark + text.replace(";", delimiter).encode())
    assert opening.premises == [
        NewPremises("P1", "Bar Trot", "establishment", "Carrer Nou 1", "Manacor")
    ]
    assert opening.terminals == [NewTerminal("P1", "T1"), NewTerminal("P1", "T2")]
    until = BEGINS + datetime.timedelta(days=1)
    assert opening.authorisations == [
        NewAuthorisation("P1", "lototrot", BEGINS, "AUT 1"),
        NewAuthorisation("P1", "promotrot", BEGINS, "AUT 1"),
        NewAuthorisation("P0", "promotrot", BEGINS, "AUT 2", until),
    ]


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ((), 1),
        (("code;name",), 1),
        ((HEAD, BAR, BAR.replace("establishment", "castle")), 3),
        ((HEAD, BAR.replace("lototrot ", "bingo ")), 2),
        ((HEAD, BAR.replace("2030-03-01", "01/03/2030")), 2),
        ((HEAD, "P1;Bar"), 2),
        ((HEAD, f"{BAR};more"), 2),
        ((HEAD, BAR.replace("Bar Trot", "x" * 121)), 2),
        ((HEAD, BAR.replace("T2", "T" * 21)), 2),
        ((HEAD, BAR.replace("Bar Trot", "Bar\0Trot")), 2),
        ((HEAD, BAR.replace("T2", "T\0002")), 2),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_line(lines: tuple[str, ...], line: int) -> None:
    with pytest.raises(ListMalformed) as refusal:
        read(*lines)
    assert refusal.value.data == {"line": line}


@pytest.mark.parametrize("data", [b"\xff\xfe", b" " * (MAX_BYTES + 1)])
def test_what_is_no_text_or_too_much_is_refused(data: bytes) -> None:
    with pytest.raises(ListMalformed):
        opening_read(data)
