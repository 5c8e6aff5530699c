"""The paper: every element of 14.II.3, in every language, on every device."""

import dataclasses
import html as markup
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pypdf
import pytest
from django.conf import LazySettings
from django.utils.translation import override

from core.kernel import codes
from core.kernel.languages import LANGUAGES
from core.premises.requests import new_uuid
from core.premises.sellers import SellerFacts
from core.receipts import escpos, html, pdf, text
from core.receipts.document import Document, Qr
from core.receipts.formats import format_cents, format_date, format_moment
from core.receipts.paper import Paper
from lototrot.services.tickets import slips
from lototrot.services.tickets.selling import QuickPick, SaleRequest, Sold, ticket_sell
from lototrot.services.tickets.slips import (
    REQUIRED,
    TicketIncomplete,
    notices,
    ticket_card,
    ticket_document,
)
from tests.support import factories
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.II.3")]

MARKS = ((1, 2, 10), (2,), (3,), (4,), (5,), (6,))


@pytest.fixture
def place() -> Point:
    return factories.point()


@pytest.fixture
def sold(place: Point) -> Sold:
    """Seven races on two racecourses, three numbers in the first, the last one a quick pick."""
    meeting = factories.meeting(races=4)
    course = factories.racecourse("Torre del Ram")
    last = max(race.scheduled_start_at for race in meeting.races.all())
    for number in (1, 2, 3):
        factories.race(meeting, number, last, course=course)
    races = sorted(meeting.races.all(), key=lambda race: (race.scheduled_start_at, race.pk))
    contest = factories.contest(meeting, races=races)
    factories.acknowledge(contest, place)
    request = SaleRequest(new_uuid(), contest.pk, (*MARKS, QuickPick(1)), 100, 300)
    return ticket_sell(credentials=place.credentials, request=request)


def as_text(document: Document) -> str:
    return text.render(document)


def as_printed(document: Document) -> str:
    raw = escpos.render(document)
    symbols = re.findall(rb"\x1d\(k(..)1P0", raw, re.DOTALL)
    assert len(symbols) == 1
    raw = re.sub(rb"\x1d\(k(..)1P0", b"[QR ", raw, flags=re.DOTALL)
    return re.sub(rb"\x1b.[\x00-\x13]|\x1b@|\x1d!.|\x1d\(k....?|\x1dVB\x00", b"", raw).decode(
        "cp858"
    )


def as_pdf(document: Document) -> str:
    file = pdf.render(document, created_at=datetime.now(UTC), paper=Paper.ROLL_80)
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(file)).pages)


def as_html(document: Document) -> str:
    return markup.unescape(re.sub(r"<[^>]+>", " ", html.render(document)))


RENDERERS = [as_text, as_printed, as_pdf, as_html]


def squeezed(written: str) -> str:
    """Without blanks, boxes and hyphens of layout, so that wrapping does not matter."""
    return re.sub(r"[\s|]+", "", written)


def elements(sold: Sold, place: Point, language: str) -> list[str]:
    """Return the texts that the article requires and those that the project adds, as people read
    them.
    """
    facts = sold.facts
    assert sold.code is not None
    with override(language):
        sentences = notices()
    return [
        sold.code.grouped,
        str(sold.uuid),
        "Lototrot",
        facts.bet_type_name,
        place.premises.code,
        place.premises.name,
        place.premises.address,
        place.premises.municipality,
        place.terminal.code,
        str(place.operator.number),
        format_date(facts.day, language),
        format_moment(sold.sold_at, language),
        *{leg.racecourse for leg in facts.legs},
        *[
            f"{leg.position} {leg.race_number} {' '.join(map(str, numbers))}"
            for leg, numbers in zip(facts.legs, MARKS, strict=False)
        ],
        format_cents(100, language),
        format_cents(300, language),
        "60 %",
        *sentences,
    ]


@pytest.mark.article("14.III.1.2", "14.III.6.2")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("render", RENDERERS)
def test_every_element_is_on_the_paper(
    sold: Sold, place: Point, language: str, render: Callable[[Document], str]
) -> None:
    written = squeezed(render(ticket_document(sold, language=language, simulated=False)))
    wanted = elements(sold, place, language)
    assert [each for each in wanted if squeezed(each) not in written] == []


def test_the_races_are_numbered_in_the_order_of_the_ticket(sold: Sold) -> None:
    lines = as_text(ticket_document(sold, language="en", simulated=False)).splitlines()
    heads = [[str(leg.position), str(leg.race_number)] for leg in sold.facts.legs]
    rows = [at for head in heads for at, line in enumerate(lines) if line.split()[:2] == head]
    assert rows == sorted(rows)
    assert len(set(rows)) == 7


@pytest.mark.article("14.II.3")
@pytest.mark.parametrize("language", ["ca", "es", "en"])
def test_the_number_of_a_race_is_not_read_as_one_of_its_horses(sold: Sold, language: str) -> None:
    """ "3 1" would be read as horse 31, or as horses 3 and 1."""
    paper = ticket_document(sold, language=language, simulated=False)
    for lines in (as_text(paper), escpos.render(paper).decode("cp858", "replace")):
        rows = [line for line in lines.splitlines() if re.search(r"\d +\d+ +\d+[ \d]*\*?$", line)]
        assert len(rows) >= 7
        assert [row for row in rows if not re.search(r"\d {2,}\d+ {2,}\d", row)] == []


def test_a_racecourse_is_named_once_above_its_races(sold: Sold) -> None:
    lines = as_text(ticket_document(sold, language="en", simulated=False)).splitlines()
    courses = [leg.racecourse for leg in sold.facts.legs]
    assert [line for line in lines if line in courses] == list(dict.fromkeys(courses))
    one = [dataclasses.replace(leg, racecourse=courses[-1]) for leg in sold.facts.legs]
    facts = dataclasses.replace(sold.facts, legs=tuple(one), meeting_name=f"Gran {courses[-1]}")
    paper = ticket_document(dataclasses.replace(sold, facts=facts), language="en", simulated=False)
    assert as_text(paper).count(courses[-1]) == 1


def test_a_quick_pick_is_told_from_the_players_own_marks(sold: Sold) -> None:
    card = ticket_card(sold)
    assert [race["quick_pick"] for race in card["races"]] == [False] * 6 + [True]
    written = as_text(ticket_document(sold, language="en", simulated=False))
    assert written.count(" *\n") == 1
    assert "* Quick pick" in written


@pytest.mark.parametrize("render", [as_text, as_html])
def test_the_symbol_is_the_code(sold: Sold, render: Callable[[Document], str]) -> None:
    assert sold.code is not None
    document = ticket_document(sold, language="en", simulated=False)
    assert [block.data for block in document.blocks if isinstance(block, Qr)] == [sold.code.text]
    assert sold.code.text.encode() in escpos.render(document)


def test_the_symbol_is_a_link_that_keeps_the_code_out_of_requests(
    sold: Sold, settings: LazySettings
) -> None:
    settings.CHECK_URL = "https://lototrot.example/check"
    assert sold.code is not None
    document = ticket_document(sold, language="en", simulated=False)
    (symbol,) = [block.data for block in document.blocks if isinstance(block, Qr)]
    assert symbol == f"https://lototrot.example/check#{sold.code.text}"
    assert sold.code.text not in urlsplit(symbol)._replace(fragment="").geturl()
    for scanned in (symbol, symbol.translate(str.maketrans(":/#-", "ñ&·'")), sold.code.text):
        assert codes.parse(scanned, settings.CODE_KEYS, codes.TICKET) == sold.code


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("render", RENDERERS)
def test_copies_and_simulated_time_are_marked_large_and_originals_are_not(
    sold: Sold, language: str, render: Callable[[Document], str]
) -> None:
    plain = ticket_document(sold, language=language, simulated=False)
    assert plain.banners == ()
    marked = ticket_document(sold, language=language, simulated=True, copy=2)
    assert len(marked.banners) == 2
    written = squeezed(render(marked))
    for banner in marked.banners:
        assert squeezed(banner) in written
        assert squeezed(banner) not in squeezed(render(plain))


def test_money_and_days_are_written_as_the_reader_writes_them(sold: Sold) -> None:
    """That every text is translated is for tests/core/tools/catalogues to see."""
    catalan, english = (
        as_text(ticket_document(sold, language=language, simulated=False))
        for language in ("ca", "en")
    )
    assert "3,00 €" in catalan
    assert "€3.00" in english


# --- What lacks an element is not a ticket --------------------------------------------------------


LACKING = {
    "uuid": lambda sold: {"uuid": ""},
    "game": lambda sold: {"facts": dataclasses.replace(sold.facts, game="")},
    "prize_percent": lambda sold: {"facts": dataclasses.replace(sold.facts, prize_percent="")},
    "races": lambda sold: {"facts": dataclasses.replace(sold.facts, legs=()), "masks": ()},
    "race_count": lambda sold: {"facts": dataclasses.replace(sold.facts, legs=()), "masks": ()},
    "price_cents": lambda sold: {"facts": dataclasses.replace(sold.facts, price_cents=0)},
    "amount_cents": lambda sold: {"amount_cents": 0},
    "bets": lambda sold: {"bets": 0},
    "numbers": lambda sold: {"masks": (*sold.masks[:6], 0)},
    "racecourse": lambda sold: {
        "facts": dataclasses.replace(
            sold.facts,
            legs=(dataclasses.replace(sold.facts.legs[0], racecourse=""), *sold.facts.legs[1:]),
        )
    },
}


@pytest.mark.parametrize("element", LACKING)
def test_a_ticket_that_lacks_an_element_is_refused(sold: Sold, element: str) -> None:
    incomplete = dataclasses.replace(sold, **LACKING[element](sold))
    with pytest.raises(TicketIncomplete) as refusal:
        ticket_card(incomplete)
    assert element in refusal.value.data["missing"]
    with pytest.raises(TicketIncomplete):
        ticket_document(incomplete, language="ca", simulated=False)


@pytest.mark.parametrize("element", ["premises_code", "premises_name", "premises_address"])
def test_so_is_one_without_the_identity_of_the_establishment(
    sold: Sold, place: Point, element: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = SellerFacts("P1", "Bar", "Carrer Major 1", "Palma", "T1", 1)
    seller = dataclasses.replace(whole, **{element: ""})
    monkeypatch.setattr(slips, "seller_facts", lambda *_: seller)
    with pytest.raises(TicketIncomplete) as refusal:
        ticket_card(sold)
    assert refusal.value.data["missing"] == ["establishment"]


def test_so_is_a_paper_without_its_code(sold: Sold) -> None:
    with pytest.raises(TicketIncomplete):
        ticket_document(dataclasses.replace(sold, code=None), language="ca", simulated=False)


def test_every_required_name_is_one_of_the_card(sold: Sold) -> None:
    assert set(REQUIRED) <= set(ticket_card(sold))
