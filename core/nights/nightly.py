"""List the nightly jobs that belong to no single game: due work, lapses, waiting claims, the
books.
"""

from dataclasses import asdict
from datetime import date

from django.utils.translation import gettext_lazy as _

from core.database import clock
from core.database.due_work import do_due
from core.database.reading.snapshot import snapshot
from core.journal.models import Batch
from core.journal.services import last_batch
from core.journal.verifying import verify
from core.kernel.days import add_days, day_bounds, natural_day
from core.kernel.errors import InvariantBroken
from core.ledger.books import differences
from core.ledger.selectors import trial
from core.nights.jobs import Job, Outcome, sundays
from core.nights.models import JobRun
from core.nights.turns import counted, turn_of
from core.payoffice import sources
from core.payoffice.services.personal_data import personal_data_purge
from core.payoffice.services.ruling import rulings_due

MOST_NAMED = 20
LOOKED_BACK_DAYS = 7
LAPSE, JOURNAL_AUDIT = "claims.lapse", "journal.audit"


class WorkFailed(InvariantBroken):
    """Some work failed. `data["failed"]` lists task, id and error."""

    code = "due_work_failed"
    message = "Something that is due could not be done."


class JournalDiffers(InvariantBroken):
    """Rows or batches are not as they were sealed. `data["findings"]` lists the first."""

    code = "journal_differs"
    message = "The journal, or a row that it covers, was changed."


class BooksDiffer(InvariantBroken):
    """Some balances are not what happened. `data["accounts"]` lists the accounts."""

    code = "books_differ"
    message = "The ledger does not hold what tickets, results and payments say."


def do_due_work(day: date) -> Outcome:
    """Do everything that the sweeper would send to workers: close, seal, settle, carry over, stop,
    reveal.
    """
    done, failed = do_due()
    if failed:
        raise WorkFailed(failed=[[*key, code] for key, code in failed.items()][:MOST_NAMED])
    return Outcome(done)


def lapse(day: date) -> Outcome:
    """Lapse every ticket and voucher whose last day has ended (14.III.10.2, 15.III.6.6).

    Each group is one transaction. A group that has lapsed is not due again. The last night lapsed
    what had ended, so nothing is looked for more than a week before it.
    """
    today = add_days(day, 1)
    done = JobRun.objects.filter(job=LAPSE, state=JobRun.State.DONE, day__lt=day)
    last = done.order_by("-day").values_list("day", flat=True).first()
    since = add_days(last, -LOOKED_BACK_DAYS) if last else date.min
    groups = documents = cents = 0
    for source in sources.all_sources():
        for group in source.lapses_due(today, since):
            clock.need_sound()  # it may have stepped since the night began
            lapsed = source.lapse(group, today)
            groups += 1
            documents += lapsed.documents
            cents += lapsed.cents
    return Outcome({"groups": groups, "documents": documents, "cents": cents})


def waiting(day: date) -> Outcome:
    """List the held documents that may be decided now, because their period has ended (14.III.10.5)
    [C5].
    """
    due = rulings_due(add_days(day, 1))
    rows = [{name: str(value) for name, value in asdict(ruling).items()} for ruling in due]
    return Outcome({"waiting": len(due)}, {"rulings_due": rows})


def purge(day: date) -> Outcome:
    """Erase identities and photographs that have been kept long enough."""
    return Outcome(personal_data_purge(add_days(day, 1)))


def audit(day: date) -> Outcome:
    """Check the trial balance, and compute every balance again from what happened, at one instant.

    It reads all of the past, so it is done after a Sunday. Between Sundays the other audits hold
    the accounts of contests and of premises against tickets, marks and statements every night.
    """
    with snapshot():
        balance = trial()
        accounts, differing = differences()
    if balance.difference_cents or differing:
        raise BooksDiffer(
            difference_cents=balance.difference_cents,
            differing=len(differing),
            accounts=[asdict(difference) for difference in differing[:MOST_NAMED]],
        )
    return Outcome({"accounts": accounts, "transfers": balance.transfers})


def journal_audit(day: date) -> Outcome:
    """Verify the batches sealed since the last night with their rows, and those of an older period.

    The period is the next in turn (`core.nights.turns`), so every row is verified again and again.
    `manage.py journal_verify` reads the whole journal on any day.
    """
    done = JobRun.objects.filter(job=JOURNAL_AUDIT, state=JobRun.State.DONE, day__lt=day)
    before = done.order_by("-day").first()
    since = before.counts.get("last_batch") if before else None
    last = last_batch()
    number = last.number if last else 0
    findings = verify(most=MOST_NAMED, since=since).findings
    first = Batch.objects.order_by("number").first()
    turn = turn_of(JOURNAL_AUDIT, day, since=natural_day(first.sealed_at) if first else None)
    again = 0
    if turn is not None:
        start, until = _last_sealed(turn.first), _last_sealed(add_days(turn.last, 1))
        again = until - start
        if again:
            findings += verify(most=MOST_NAMED, since=start, until=until).findings
    if findings:
        raise JournalDiffers(findings=[finding.detail for finding in findings[:MOST_NAMED]])
    counts = {"last_batch": number, "batches": number - (since or 0), "batches_again": again}
    return Outcome(counts | counted(turn))


def journal_everything() -> Outcome:
    """Verify the whole journal with every row and rule."""
    verified = verify(most=MOST_NAMED)
    if verified.findings:
        raise JournalDiffers(findings=[finding.detail for finding in verified.findings])
    return Outcome({"batches": verified.batches})


def books_everything() -> Outcome:
    """Check the trial balance and compute every balance again, on any day."""
    return audit(natural_day(clock.now()))


def _last_sealed(day: date) -> int:
    """Return the number of the last batch sealed before a day; 0 if there is none."""
    before = Batch.objects.filter(sealed_at__lt=day_bounds(day)[0])
    return before.order_by("-sealed_at", "-number").values_list("number", flat=True).first() or 0


JOBS: tuple[Job, ...] = (
    Job(name="work.due", title=_("What is due"), order=10, run=do_due_work, whole=False),
    Job(
        name=LAPSE,
        title=_("Unclaimed prizes lapse"),
        order=30,
        run=lapse,
        whole=False,
    ),
    Job(
        name="work.lapsed",
        title=_("What the lapses made due"),
        order=35,
        run=do_due_work,
        whole=False,
    ),
    Job(name="claims.rulings", title=_("Held, to be decided"), order=40, run=waiting),
    Job(name="payoffice.purge", title=_("Identities no longer kept"), order=45, run=purge),
    Job(
        name="ledger.audit",
        title=_("Audit of the books"),
        order=90,
        run=audit,
        on=sundays,
        whole=False,
        recounts=True,
        everything=books_everything,
    ),
    Job(
        name=JOURNAL_AUDIT,
        title=_("Audit of the journal"),
        order=90,
        run=journal_audit,
        whole=False,
        recounts=True,
        everything=journal_everything,
    ),
)
