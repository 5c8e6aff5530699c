"""Answer the kinds of question that belong to more than one game: prices and payments."""

from collections.abc import Mapping

from core.kernel.canonical import Json
from core.kernel.regulation import Bearer, payment_rule
from core.tools.whatif.fields import Fields
from core.tools.whatif.kinds import Answer


def price(value: object) -> Json:
    """Return whether a game may have a price (`14.III.2`, `15.III.4`)."""
    fields = Fields(value, "input", needs=("game", "price"), may=("day",))
    regulation = fields.regulation()
    game = fields.choice("game", ("lototrot", "promotrot"))
    figures = regulation.lototrot if game == "lototrot" else regulation.promotrot
    return figures.price_in_range(fields.integer("price"))


def payment(value: object) -> Json:
    """Return who pays an amount and how (`14.III.10.2`, `10.6`); of a ticket without `bearer`."""
    fields = Fields(value, "input", needs=("amount",), may=("bearer", "day"))
    bearer = Bearer(fields.choice("bearer", Bearer)) if fields.has("bearer") else Bearer.TICKET
    rule = payment_rule(fields.integer("amount"), fields.regulation().payment, bearer)
    return {
        "tier": rule.tier,
        "named": [str(place) for place in rule.named],
        "allowed": [str(place) for place in rule.allowed],
        "means": str(rule.means),
    }


KINDS: Mapping[str, Answer] = {"price": price, "payment": payment}
