"""A small emission sold out, probabilistic games played, both closed with their statements."""

from collections import Counter
from fractions import Fraction
from typing import Any

from core.tools.raceday.api import ApiProblem
from core.tools.raceday.people import Seller
from core.tools.raceday.show import euros, heading, step, table
from core.tools.raceday.stage import Stage, need
from promotrot.raceday import office, players
from promotrot.raceday.checked import look_from_outside
from promotrot.raceday.players import Emission, Play

SOLD_OUT = "foals-lap"
PLAYED = ("trotters-ladder", "five-stalls")
ON_SALE = ("lap-of-honour", "letter-by-letter", "six-at-the-post")
PLAYS = 240


def tell(stage: Stage) -> None:
    plays = _sold_out(stage)
    for game in PLAYED:
        plays += _played(stage, game)
    stage.kept["promotrot.vouchers"] = [
        (play["seller"], voucher) for play in plays for voucher in play["vouchers"]
    ]


def put_on_sale(stage: Stage) -> None:
    """Games for whoever looks round; what one still owes becomes extra prizes (15.III.6.2)."""
    heading("Promotrot: on sale from today")
    for game in PLAYED:
        _offer(office.emission_open(stage.staff, game, extra_tier=stage.kept[f"extra of {game}"]))
    for game in ON_SALE:
        office.game_approve(stage.staff, game)
        _offer(office.emission_open(stage.staff, game))


def _offer(emission: Emission) -> None:
    extra_cents = emission["extra_cents"]
    step(f"{emission['reference']}: {emission['tickets']} tickets at {_price(emission)}")
    if extra_cents:
        step(f"{euros(extra_cents)} of what the game owed are extra prizes in it")


def _sold_out(stage: Stage) -> list[Play]:
    """An emission of pre-drawn tickets, sold to the last one by every terminal at once."""
    heading("Promotrot: an emission sold out")
    check = office.game_approve(stage.staff, SOLD_OUT)
    emission = office.emission_open(stage.staff, SOLD_OUT)
    step(f"{emission['reference']}: {emission['tickets']} tickets at {_price(emission)},")
    worth, bound = _percent(check["percentages"]["worst"]), emission["commitment"][:16]
    step(f"{worth} in prizes; commitment {bound}…")
    first = players.buy(stage.sellers[0], emission)
    again = _replayed(stage.sellers[0], emission, first)
    need(again["uuid"] == first["uuid"], "a play sent twice was sold twice")
    moved = _moved(stage, first)
    plays = [moved, *players.sell_out(stage.sellers, emission)]
    need(len({play["uuid"] for play in plays}) == emission["tickets"], "not every ticket was sold")
    given = Counter(play["ending"]["tier"] for play in plays)
    for tier in emission["tiers"]:
        need(given[tier["tier"]] == tier["count"], f"tier {tier['tier']} was given otherwise")
    step(f"{len(plays)} tickets sold and played by {len(stage.sellers)} terminals at once,")
    step("each once, and the prizes exactly those of the table:")
    _tiers(emission, given)
    _statement(stage, emission)
    look_from_outside(stage, emission)
    return plays


def _played(stage: Stage, game: str) -> list[Play]:
    """A game in which the player's acts decide."""
    heading(f"Promotrot: {game}")
    check = office.game_approve(stage.staff, game)
    emission = office.emission_open(stage.staff, game)
    percents = check["percentages"]
    ways = ", ".join(f"{way} {_percent(percents[way])}" for way in ("worst", "random", "best"))
    step(f"exact percentages by way of playing: {ways}")
    plays = players.sell_some(stage.sellers, emission, PLAYS)
    acts = sum(len(play["acts"]) for play in plays)
    step(f"{len(plays)} plays of {acts} acts, each act drawn and recorded by itself")
    _tiers(emission, Counter(play["ending"]["tier"] for play in plays))
    owed_cents = _statement(stage, emission)["owed_cents"]
    cheapest = min(emission["tiers"], key=lambda tier: int(tier["value_cents"]))
    reaches = owed_cents >= cheapest["value_cents"]
    stage.kept[f"extra of {game}"] = cheapest["tier"] if reaches else None
    return plays


def _replayed(seller: Seller, emission: Emission, play: Play) -> Play:
    body = {
        "uuid": play["uuid"],
        "emission": emission["id"],
        "price_cents": emission["price_cents"],
    }
    found: Play = seller.api.post("promotrot/plays", body)
    return found


def _moved(stage: Stage, play: Play) -> Play:
    """The terminal dies after the sale: staff move the play to the other of the same premises."""
    first, second = stage.sellers[:2]
    need(first.premises == second.premises, "the first two terminals are not of one place")
    stage.staff["org1"].post(
        f"promotrot/office/plays/{play['uuid']}/move",
        {"terminal": second.terminal, "reason": "La pantalla s'ha apagat"},
    )
    try:
        players.act(first, play, "reveal")
    except ApiProblem as problem:
        need(problem.code == "play_elsewhere", f"refused as {problem.code}")
    waiting = second.api.get("promotrot/terminal/plays")["items"]
    need([each["uuid"] for each in waiting] == [play["uuid"]], "the moved play is not there")
    found: Play = second.api.get(f"promotrot/plays/{play['uuid']}")
    step(f"play {play['uuid'][:8]} moved to {second.terminal} by staff, and finished there")
    return players.act(second, found, "reveal") | {"seller": second}


def _percent(exact: int | str) -> str:
    """An exact percentage, a whole number or `n/d`, to two decimals."""
    return f"{float(Fraction(exact)):.2f} %"


def _price(emission: Emission) -> str:
    return euros(emission["price_cents"])


def _tiers(emission: Emission, given: Counter[int]) -> None:
    table(
        ("tier", "prize", "of the table", "awarded"),
        [
            (
                tier["tier"],
                f"{euros(tier['value_cents'])} {tier['thing']}".strip(),
                "—" if tier["count"] is None else tier["count"],
                given[tier["tier"]],
            )
            for tier in emission["tiers"]
        ],
    )


def _statement(stage: Stage, emission: Emission) -> dict[str, Any]:
    """Close by two persons; what the closing says (15.III.6.2)."""
    found: dict[str, Any] = office.emission_close(stage.staff, emission)
    step(f"{emission['reference']} closed by two persons:")
    table(
        ("statement", ""),
        [
            ("sold", found["sold"]),
            ("unsold", found["unsold"]),
            ("takings", euros(found["takings_cents"])),
            ("awarded", euros(found["awarded_cents"])),
            ("percentage", _percent(found["percent"])),
            ("minimum", _percent(found["minimum_percent"])),
            ("shortfall", euros(found["shortfall_cents"])),
            ("owed to prizes of the game", euros(found["owed_cents"])),
        ],
    )
    short = found["awarded_cents"] * 100 < found["takings_cents"] * 70
    need(short == (found["shortfall_cents"] > 0), "the shortfall is not what is missing to 70 %")
    return found
