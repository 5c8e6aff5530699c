"""Time from the commit of a stop of sales, at full sale load, to the last sale anywhere."""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Timer

from core.staff import two_persons
from lototrot.models.contest import Contest
from lototrot.services.races.stopping import race_stop, stop_lift
from tests.bench import load
from tests.bench.pairs import percentile
from tests.bench.parts.sale import Sales
from tests.bench.raw import CONNECTIONS
from tests.bench.store import Figures, Store
from tests.support import factories

SOLD, STOPPED = 201, 409
POLL_S = 0.005


def measure(store: Store) -> Figures:
    """Return the figures `stop.*`: the worst of several stops, each lifted by two persons.

    `stop.last_sale_ms` is until the last new ticket that another connection sees committed, and
    `stop.last_answer_ms` until the last answer to a sale that was made. `stop.commit_ms` is how
    long the stop itself waits for the sales in flight. The terminals go on asking after the commit
    for as long as they sold before it, however slow the machine is.
    """
    first, second = factories.two_stewards()
    sales_ms, answers_ms, commits_ms, sold, selling_s = [], [], [], 0.0, 0.0
    half_s = store.size.load_s / 2
    with store.contest_on_sale() as (contest, points):
        sales, race = Sales(contest, points), factories.races_of(contest)[0]
        for _ in range(store.size.pairs):
            over, began = Event(), time.perf_counter()
            with ThreadPoolExecutor(1) as pool:
                under_way = pool.submit(
                    load.run,
                    store.stack.sales_url,
                    connections=CONNECTIONS,
                    seconds=store.size.load_s,
                    request=sales.request,
                    over=over.is_set,
                )
                try:
                    time.sleep(half_s)
                    asked_at = time.perf_counter()
                    stop = race_stop(by=first, race_id=race.pk, source="Bench")
                    committed_at = time.perf_counter()
                finally:  # else the terminals would ask for ever
                    Timer(half_s, over.set).start()
                last_at = _last_change_at(contest, under_way)
                done = under_way.result()
            if set(done.statuses) != {SOLD, STOPPED}:
                raise RuntimeError(f"unexpected answers, by HTTP status: {dict(done.statuses)}")
            lifting = stop_lift(by=second, stop_id=stop.pk, reason="Bench")
            two_persons.confirm(proposal=lifting.uuid, by=first)
            sales_ms.append((last_at - committed_at) * 1000)
            answers_ms.append(max(0.0, done.last_at[SOLD] - committed_at) * 1000)
            commits_ms.append((committed_at - asked_at) * 1000)
            sold += done.statuses[SOLD]
            selling_s += committed_at - began
    return {
        "stop.last_sale_ms": max(sales_ms),
        "stop.last_answer_ms": max(answers_ms),
        "stop.commit_ms": percentile(commits_ms, 0.50),
        "stop.sales_per_s": sold / selling_s,
    }


def _last_change_at(contest: Contest, under_way: "Future[load.Load]") -> float:
    """Return when the number of committed tickets last changed, at the latest, by perf_counter."""
    count, last_at = contest.tickets.count(), time.perf_counter()
    while not under_way.done():
        if (now := contest.tickets.count()) != count:
            last_at, count = time.perf_counter(), now
        time.sleep(POLL_S)
    return last_at
