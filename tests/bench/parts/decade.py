"""A history of ten years against one an eighth as long, with the same meetings a week.

What is done every night, every second, at every sweep and at every scrape must not grow with the
past. The history grows from H to 2 H, 4 H and 8 H in one database (`tests/support/history`), and a
copy is kept at each length. On these the same is done in turn (`tests/bench/pacing.py`): ordinary
nights, sweeps, scrapes of the metrics, publications of the boards, the start of each process,
sales, a settlement and payments. So the state of the machine is in all lengths alike. Each is
measured in seconds of processor, ours and the database's; most also in rows that the database
reads, and a sweep in statements. Every figure is printed at each length. Its slope is that of the
line which fits all four best (`tests/bench/growth/judging.py`): 0 where it does not grow, and 1
where it grows as the history does. More than 1 fails the run; and for each row of what was wanted
the run prints whether it is met.

`bytes_per_ticket` are those of a ticket that is sold and printed; `bytes_with_all_that_follows` and
`bytes.*` are what all tables grew by, a ticket of the history. At the end months are retired.
`bytes_per_retired_ticket` is what stays of a ticket's own rows and of the sums in their place, by
table in `bytes_retired.*`; `bytes_retired_with_all_that_follows` is what stays of everything, also
of what follows weeks and premises. `wal_per_ticket` has the log of the retirement in it. The night
after a Sunday counts the books again from the beginning, on purpose: it has figures of its own,
`sunday_night*`, which nothing checks.
"""

import tempfile
from pathlib import Path
from statistics import median

from core.journal.acting import name_process
from core.tools.embedded.server import ROOT
from tests.bench import archiving, pacing
from tests.bench.growth import drawing, judging, measuring
from tests.bench.growth.judging import Wanted
from tests.bench.processor import ours_s
from tests.bench.size import SIZES
from tests.bench.store import Figures, Store, owner_execute
from tests.support.history import weeks
from tests.support.history.weeks import History

WEEKS, TICKETS, PREMISES = 66, 2_000_000, 3_200
"""H in weeks, and tickets and premises at 8 H, of a run of full size: 528 weeks are ten years."""
LENGTHS = (1, 2, 4, 8)
ACTS = ("sale", "pay", "settle")
"""Acts whose speed is wanted; their seconds are drawn and checked, as those of the others."""
FLAT = (
    *("night", "night_rows", "sweep", "sweep_statements", "sweep_rows"),
    *("metrics", "metrics_rows", "live", "live_rows"),
    *("restart_web", "restart_live", "restart_worker", *ACTS),
)
_RECOUNTING = ("sunday_night", "sunday_night_rows")
_MOST, _LEAST_SPEED = 1.2, 0.95
WANTED = (
    Wanted("decade.night_ratio", at_most=_MOST, grows="night"),
    *(Wanted(f"decade.{act}_ratio", at_least=_LEAST_SPEED, grows=act) for act in ACTS),
    Wanted("decade.live_cpu", at_most=_MOST, grows="live"),
    Wanted("decade.sweep_ratio", at_most=_MOST, grows="sweep"),
    Wanted("decade.metrics_ratio", at_most=_MOST, grows="metrics"),
    Wanted("decade.bytes_per_ticket", at_most=1_000),
    Wanted("decade.bytes_per_retired_ticket", at_most=0),
    Wanted("decade.wal_per_ticket", at_most=5_000),
    *(
        Wanted(f"decade.{name}_ratio", at_most=_MOST, grows=name)
        for name in FLAT
        if name.startswith("restart_")
    ),
)
"""The table of what must hold, row by row (issue 14)."""
_SHORTER = 0.5
"""A smaller run is shorter, but not as much as it has less: a night looks at some ten weeks."""
_DRAWING = "decade.svg"
_PLAYS_IN = 50  # a play for so many tickets
_MONTHS_RETIRED = 3
_SESSIONS = 2  # that make the history, on two processors
_SOLD_AND_PRINTED = 5_000  # enough that pages which are not full do not count
_NAMED_FROM_BYTES = 5.0  # of a ticket: the other tables do not follow the number of tickets

Seconds = dict[str, float]
"""The figures of one length, by name: seconds, but rows and statements where the name says so."""


def measure(store: Store) -> Figures:
    """Return the figures `decade.*`. Growth beyond linear, where none is wanted, is an
    error but in a tiny run.
    """
    name_process("command:bench")
    length = max(1, int(WEEKS * store.size.scale**_SHORTER))
    tickets = max(24, store.size.of(TICKETS) // (length * LENGTHS[-1]))
    history = weeks.begin(
        premises=max(4, store.size.of(PREMISES)),
        tickets=tickets,
        plays=max(4, tickets // _PLAYS_IN),
        seconds=ours_s,
        sessions=_SESSIONS,
    )
    at, figures = _grown(store, history, length)
    figures["decade.bytes_per_ticket"] = archiving.sold_and_printed(
        history, max(tickets, _SOLD_AND_PRINTED)
    )
    with tempfile.TemporaryDirectory() as folder:
        freed = archiving.freed_by(_MONTHS_RETIRED, Path(folder))
    if freed:
        figures["decade.bytes_per_retired_ticket"] = sum(freed.stays.values())
        figures |= {f"decade.bytes_retired.{name}": size for name, size in freed.stays.items()}
        figures["decade.bytes_retired_with_all_that_follows"] = (
            figures["decade.bytes_with_all_that_follows"] - freed.size
        )
        figures["decade.wal_of_retirement"] = freed.wal
        figures["decade.wal_per_ticket"] = (
            figures["decade.wal_per_ticket_without_retirement"] + freed.wal
        )
    series = {name: [at[times][name] for times in LENGTHS] for name in FLAT}
    _draw(store, series, history.weeks)
    growths = {name: judging.growth(LENGTHS, values) for name, values in series.items()}
    print("\n".join(judging.judged(WANTED, figures, growths)), flush=True)
    # A tiny history is shorter than the turns in which older periods are read, and so still grows.
    if store.size.scale >= SIZES["small"].scale:
        judging.refuse_faster_than_linear(LENGTHS, series)
    return figures


def _grown(store: Store, history: History, length: int) -> tuple[dict[int, Seconds], Figures]:
    """Let the history grow to each length. Return what was measured at each, and the figures."""
    at: dict[int, Seconds] = {}
    stored: dict[int, dict[str, int]] = {}
    histories = {}
    wal = 0
    for times in LENGTHS:
        wal -= archiving.wal_bytes()
        with store.commits_wait_for_no_disk():
            history.grow(length * times - history.weeks)
        stored[times] = archiving.sizes()
        wal += archiving.wal_bytes()
        _tell_planner()
        at[times] = _nights()
        histories[times] = pacing.state_of(history)
        pacing.copy(store, pacing.database(times))
        print(times, "H: it is", round(history.weeks), "weeks long", flush=True)
    rounds = pacing.rounds(store, histories)
    for name, by_length in rounds.items():
        for times, measured in zip(LENGTHS, by_length, strict=True):
            at[times][name] = median(measured)
    for times in LENGTHS:
        print(times, "H:", {name: round(value, 4) for name, value in at[times].items()}, flush=True)
    tickets = history.tickets
    sold = tickets * length * (LENGTHS[-1] - LENGTHS[0])
    by_table = {name: (size - stored[1][name]) / sold for name, size in stored[8].items()}
    return at, _figures(at) | {
        **{f"decade.{name}_ratio": _ratio(name, each) for name, each in rounds.items()},
        "decade.weeks": float(history.weeks),
        "decade.tickets": float(history.weeks * tickets),
        "decade.bytes_with_all_that_follows": sum(by_table.values()),
        "decade.wal_per_ticket_without_retirement": wal / (history.weeks * tickets),
        **{
            f"decade.bytes.{name}": size
            for name, size in sorted(by_table.items(), key=lambda each: -each[1])
            if size >= _NAMED_FROM_BYTES
        },
    }


def _draw(store: Store, series: judging.Series, weeks_in_all: int) -> None:
    """Draw the growth of what must be flat: among the documents, a tiny run's beside its table."""
    folder = "docs" if store.size.scale >= SIZES["small"].scale else "var"
    title = f"Growth with the history, H to 8 H = {weeks_in_all} weeks (ratio to H)"
    (ROOT / folder / _DRAWING).write_text(drawing.growth(title, LENGTHS, series))


def _nights() -> Seconds:
    """Do the nights after a Sunday and a Monday; return what the first cost, and the jobs of the
    second.
    """
    sunday, ordinary = measuring.night(), measuring.night()
    return {
        "sunday_night": sunday.cost.seconds,
        "sunday_night_rows": sunday.cost.rows,
        **{f"night.{job}": seconds for job, seconds in ordinary.jobs_s.items()},
    }


def _ratio(name: str, by_length: list[list[float]]) -> float:
    """Return 8 H to H, the middle of the rounds; of a sale or payment, that of the speeds."""
    ratio = pacing.ratio(by_length)
    return 1 / ratio if name in ACTS else ratio


def _tell_planner() -> None:
    """Analyze the tables, as autovacuum does between two nights."""
    owner_execute("ANALYZE")


def _figures(at: dict[int, Seconds]) -> Figures:
    """Return each figure at every length, its ratio at 8 H to H, its growth and slope.

    Of acts, the ratio is that of their speeds.
    """
    first, last = at[LENGTHS[0]], at[LENGTHS[-1]]
    figures: Figures = {}
    for name in FLAT:
        values = [at[times][name] for times in LENGTHS]
        unit, factor = _unit(name)
        for times, value in zip(LENGTHS, values, strict=True):
            figures[f"decade.{name}{unit}_{times}h"] = value * factor
        ratio = max(last[name], 1e-6) / max(first[name], 1e-6)
        figures[f"decade.{name}_ratio"] = 1 / ratio if name in ACTS else ratio
        figures[f"decade.{name}_growth"] = judging.growth(LENGTHS, values)
        figures[f"decade.{name}_slope"] = judging.slope(LENGTHS, values)
    for name in _RECOUNTING:
        for times in (LENGTHS[0], LENGTHS[-1]):
            figures[f"decade.{name}{_unit(name)[0]}_{times}h"] = at[times][name]
        figures[f"decade.{name}_ratio"] = last[name] / first[name]
    for name in sorted(first):
        if name.startswith("night."):
            figures[f"decade.{name}_s_8h"] = last.get(name, 0.0)
    return figures | {
        "decade.sweep_s": last["sweep"],
        "decade.metrics_s": last["metrics"],
        "decade.live_cpu": figures["decade.live_ratio"],
    }


def _unit(name: str) -> tuple[str, float]:
    """Return how a figure's name ends, and by what its value is multiplied to be shown."""
    if name in ACTS:
        return "_us", 1e6
    return ("", 1.0) if name.endswith(("_rows", "_statements")) else ("_s", 1.0)
