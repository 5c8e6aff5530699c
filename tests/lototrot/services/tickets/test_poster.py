"""The poster shows all that must be on the wall, in every language (14.III.5.2, 6.2)."""

from datetime import UTC, datetime
from io import BytesIO

import pytest
from pypdf import PdfReader

from core.receipts import text
from core.receipts.output import LanguageUnknown, Output
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting
from lototrot.services.contest.contests import ProgrammeNotApproved
from lototrot.services.tickets.poster import (
    NothingPublished,
    contest_poster,
    meeting_poster,
    poster_document,
)
from lototrot.services.tickets.putting_on_sale import contest_publish
from tests.support import factories

pytestmark = pytest.mark.django_db
RULES = {"ca": "Reglament de prova.", "es": "Reglamento de prueba.", "en": "Rules for a test."}


@pytest.fixture
def contest() -> Contest:
    new_contest = factories.contest(price_cents=150)
    contest_publish(by=factories.staff(Role.ORGANISER), contest=new_contest, rules=RULES)
    return new_contest


def poster_text(contest: Contest, language: str = "en") -> str:
    document = poster_document(
        meeting=contest.meeting,
        contests=[contest],
        language=language,
        simulated=False,
        at=datetime(2027, 4, 10, 12, tzinfo=UTC),
    )
    return text.render(document)


@pytest.mark.article("14.III.5.2", "14.III.6.2", "14.III.2")
@pytest.mark.parametrize(
    ("language", "price"), [("ca", "1,50 €"), ("es", "1,50 €"), ("en", "€1.50")]
)
def test_everything_is_on_it(contest: Contest, language: str, price: str) -> None:
    paper = poster_text(contest, language)
    words = " ".join(paper.split())
    for race in factories.races_of(contest):
        assert race.name in words
        for runner in race.runners.all():
            assert f"{runner.number} {runner.name}" in words
    approval = contest.meeting.approval
    for needed in (
        approval.approved_by,
        approval.reference,
        contest.meeting.reference,
        RULES[language],
        "60 %",
        price,
        "7/7, 6/7, 5/7, 4/7",
        "10,000" if language == "en" else "10.000",
    ):
        assert needed in words
    assert not any(other in words for key, other in RULES.items() if key != language)


@pytest.mark.article("14.III.5.2")
def test_nothing_is_posted_before_the_approval() -> None:
    meeting = factories.meeting(approved=False)
    contest = factories.contest(meeting, state=Contest.State.DRAFT)
    with pytest.raises(ProgrammeNotApproved):
        meeting_poster(meeting=meeting, output=Output.PDF, language="ca")
    with pytest.raises(ProgrammeNotApproved):
        contest_poster(contest=contest, output=Output.PDF, language="ca")


@pytest.mark.article("14.III.6.2")
def test_nothing_is_posted_without_rules_and_percentage() -> None:
    contest = factories.contest(state=Contest.State.DRAFT)
    with pytest.raises(NothingPublished):
        meeting_poster(meeting=contest.meeting, output=Output.HTML, language="ca")


@pytest.mark.article("14.III.5.4.1")
def test_withdrawals_known_are_on_it(contest: Contest) -> None:
    assert "withdrawn" not in poster_text(contest)
    race = factories.races_of(contest)[2]
    factories.withdrawal(race, 4)
    words = " ".join(poster_text(contest).split())
    assert "4 Cavall 3.4 (withdrawn)" in words
    assert "10 Apr 2027 14:00:00" in words


def test_it_is_an_a4_pdf_and_an_html_page(contest: Contest) -> None:
    meeting = Meeting.objects.get(pk=contest.meeting_id)
    content = meeting_poster(meeting=meeting, output=Output.PDF, language="ca")
    reader = PdfReader(BytesIO(content))
    box = reader.pages[0].mediabox
    assert (round(box.width * 25.4 / 72), round(box.height * 25.4 / 72)) == (210, 297)
    words = " ".join(" ".join(page.extract_text().split()) for page in reader.pages)
    assert RULES["ca"] in words
    assert "60 %" in words
    page = meeting_poster(meeting=meeting, output=Output.HTML, language="es").decode()
    assert page.startswith('<!doctype html><html lang="es">')
    assert RULES["es"] in page


def test_what_strangers_typed_does_not_run_on_the_page() -> None:
    contest = factories.contest()
    script = "<script>alert(1)</script>"
    contest_publish(
        by=factories.staff(Role.ORGANISER), contest=contest, rules=dict.fromkeys(RULES, script)
    )
    page = contest_poster(contest=contest, output=Output.HTML, language="en").decode()
    assert script not in page
    assert "&lt;script&gt;" in page


def test_simulated_time_is_said_on_it(contest: Contest) -> None:
    factories.time_pass(minutes=1)
    page = contest_poster(contest=contest, output=Output.TXT, language="en").decode()
    assert "SIMULATED TIME" in page


def test_only_in_the_three_languages(contest: Contest) -> None:
    with pytest.raises(LanguageUnknown):
        contest_poster(contest=contest, output=Output.PDF, language="fr")
