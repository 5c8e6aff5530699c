"""Divide the processor time of a check with its payment, in microseconds for both."""

from core.api.middleware import RequestLog
from core.api.views import LeanView
from core.database import statements
from core.payoffice.api import claims as claims_api
from core.payoffice.services import checking, finding, paying
from tests.bench.dividing import IN_PROCESS, Divided, divided, need_accounts
from tests.bench.parts import pay
from tests.bench.store import Figures, Store, terminals


def measure(store: Store) -> Figures:
    """Return the figures `pay_cost.*`. Skipped without /proc or with a server that is not ours."""
    need_accounts()
    acts_in_all = round((1 + store.size.load_s) * pay.MOST_PER_S) + 4 * IN_PROCESS
    acts = pay.Acts(iter(pay._winning_tickets(acts_in_all)), terminals())
    what = Divided(
        "pay_cost",
        "sales",
        acts.request,
        acts.checked.clear,
        (200, 201),
        (
            ("view", LeanView, "dispatch"),
            ("parsing", LeanView, "body"),
            ("codes", finding, "_read"),
            ("rules", paying, "judge"),
            ("rules", checking, "_checked"),
            ("driver", statements, "_run"),
            ("answer", claims_api, "json_response"),
            ("log", RequestLog, "_write"),
        ),
        {"payoffice_pay": "pay", "looks_by_operator": "look", "premises_who": "find"},
        "payoffice_pay",
    )
    return divided(store, what)
