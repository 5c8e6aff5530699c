"""Answer Promotrot's kinds of `whatif`: voucher, emission and game_close."""

from collections.abc import Mapping

from core.kernel.canonical import Json
from core.tools.whatif.fields import Fields, WrongType, integer, listed
from core.tools.whatif.kinds import Answer
from promotrot.engine.rules import Plan, Prizes, approve, shortfall_cents, voucher_last_day


def voucher(value: object) -> Json:
    """Return the last day on which a voucher may be presented (15.III.6.6)."""
    fields = Fields(value, "input", needs=("issue_day",))
    claim_days = fields.regulation("issue_day").promotrot.claim_days
    return {"last_day": voucher_last_day(fields.day("issue_day"), claim_days).isoformat()}


def emission(value: object) -> Json:
    """Tell if an emission may be approved. `prizes` is a list of [cents each, number]."""
    fields = Fields(value, "input", needs=("price", "tickets", "prizes"), may=("day",))
    plan = Plan(
        price_cents=fields.integer("price"),
        tickets=fields.integer("tickets"),
        prizes=[_prizes(item, fields.at("prizes")) for item in fields.listed("prizes")],
        rules_published=True,
        percent_published=True,
    )
    approval = approve(plan, fields.regulation().promotrot)
    return {
        "ok": not approval.faults,
        "prizes_total": approval.prizes_total_cents,
        "takings_if_sold": approval.takings_if_sold_cents,
    }


def game_close(value: object) -> Json:
    """Return what a closed game still owes to prizes (15.III.6.2)."""
    fields = Fields(value, "input", needs=("takings", "awarded"), may=("day",))
    percent = fields.regulation().promotrot.minimum_prize_percent
    owed = shortfall_cents(fields.integer("takings"), fields.integer("awarded"), percent)
    return {"shortfall": owed}


def _prizes(value: object, place: str) -> Prizes:
    pair = listed(value, place)
    if len(pair) != 2:
        raise WrongType(f"{place}: pairs of cents and count are needed", place=place)
    return Prizes(each_cents=integer(pair[0], place), count=integer(pair[1], place))


KINDS: Mapping[str, Answer] = {
    "voucher": voucher,
    "emission": emission,
    "game_close": game_close,
}
