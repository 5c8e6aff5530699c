"""A small emission that is sold out, and two games in which the player's acts decide."""

from collections import Counter
from fractions import Fraction
from typing import Any

from core.tools.raceday.api import ApiProblem
from core.tools.raceday.people import Seller
from core.tools.raceday.show import counted, doing, euros, heading, note, step, table
from core.tools.raceday.stage import Stage, need
from promotrot.raceday import office, players
from promotrot.raceday.checked import look_from_outside
from promotrot.raceday.players import Emission, Play

SOLD_OUT = "foals-lap"
PLAYED = ("trotters-ladder", "five-stalls")
ON_SALE = ("lap-of-honour", "letter-by-letter", "six-at-the-post")
PLAYS = 96


def tell(stage: Stage) -> None:
    """Sell an emission out, then play two games, and close all three."""
    _sold_out(stage)
    for game in PLAYED:
        _played(stage, game)


def put_on_sale(stage: Stage) -> None:
    """Put five games on sale; what a game still owes becomes extra prizes (15.III.6.2)."""
    heading("Promotrot: the games now on sale")
    for game in PLAYED:
        _offer(office.emission_open(stage.staff, game, extra_tier=stage.kept[f"extra of {game}"]))
    for game in ON_SALE:
        office.game_approve(stage.staff, game)
        _offer(office.emission_open(stage.staff, game))


def _offer(emission: Emission) -> None:
    extra_cents = emission["extra_cents"]
    step(f"{emission['reference']}: {counted(emission['tickets'], 'ticket')} at {_price(emission)}")
    if extra_cents:
        note(f"{euros(extra_cents)} that the game still owed are extra prizes in it.")


def _sold_out(stage: Stage) -> None:
    """Sell an emission of pre-drawn tickets to the last one, at every terminal at once."""
    heading("Promotrot: an emission of instant tickets is sold out")
    check = office.game_approve(stage.staff, SOLD_OUT)
    emission = office.emission_open(stage.staff, SOLD_OUT)
    worth, digest = _percent(check["percentages"]["worst"]), emission["commitment"][:16]
    step(
        f"{counted(emission['tickets'], 'ticket')} of {emission['reference']} go on sale at"
        f" {_price(emission)}, {worth} of it in prizes"
    )
    note(f"Where the prizes lie is fixed already: commitment {digest}… is published.")
    players.display_acknowledge(stage.sellers, emission)
    first = players.buy(stage.sellers[0], emission)
    again = _replayed(stage.sellers[0], emission, first)
    need(again["uuid"] == first["uuid"], "a play sent twice was sold twice")
    moved = _moved(stage, first)
    doing(f"selling and playing at {len(stage.sellers)} terminals")
    plays = [moved, *players.sell_out(stage.sellers, emission)]
    need(len({play["uuid"] for play in plays}) == emission["tickets"], "not every ticket was sold")
    by_tier = Counter(play["ending"]["tier"] for play in plays)
    for tier in emission["tiers"]:
        need(by_tier[tier["tier"]] == tier["count"], f"tier {tier['tier']} was given otherwise")
    step(
        f"{len(stage.sellers)} terminals sell and play all {len(plays)} tickets at once;"
        " the prizes are those of the table:"
    )
    _tiers(emission, by_tier)
    _statement(stage, emission)
    look_from_outside(stage, emission)


def _played(stage: Stage, game: str) -> None:
    """Play a game in which the player's acts decide."""
    heading(f"Promotrot: the game {game}, in which the player decides")
    check = office.game_approve(stage.staff, game)
    emission = office.emission_open(stage.staff, game)
    percents = check["percentages"]
    ways = ", ".join(f"{way} {_percent(percents[way])}" for way in ("worst", "random", "best"))
    step(f"Share of the price that comes back as prizes, by way of playing: {ways}")
    players.display_acknowledge(stage.sellers, emission)
    doing(f"playing {game}")
    plays = players.sell_some(stage.sellers, emission, PLAYS)
    acts = sum(len(play["acts"]) for play in plays)
    step(
        f"{len(plays)} plays with {counted(acts, 'act')}; each act is drawn and recorded by itself:"
    )
    _tiers(emission, Counter(play["ending"]["tier"] for play in plays))
    owed_cents = _statement(stage, emission)["owed_cents"]
    cheapest = min(emission["tiers"], key=lambda tier: int(tier["value_cents"]))
    reaches = owed_cents >= cheapest["value_cents"]
    stage.kept[f"extra of {game}"] = cheapest["tier"] if reaches else None


def _replayed(seller: Seller, emission: Emission, play: Play) -> Play:
    body = {
        "uuid": play["uuid"],
        "emission": emission["id"],
        "price_cents": emission["price_cents"],
    }
    replayed: Play = seller.api.post("promotrot/plays", body)
    return replayed


def _moved(stage: Stage, play: Play) -> Play:
    """Move a play, whose terminal is broken, to the other terminal of the premises; play it."""
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
    need([item["uuid"] for item in waiting] == [play["uuid"]], "the moved play is not there")
    moved: Play = second.api.get(f"promotrot/plays/{play['uuid']}")
    step("A terminal breaks after a sale; staff move the play to another, where it is finished")
    return players.act(second, moved, "reveal")


def _percent(exact: int | str) -> str:
    """Return an exact percentage, given as a whole number or `n/d`, with two decimals."""
    return f"{float(Fraction(exact)):.2f} %"


def _price(emission: Emission) -> str:
    return euros(emission["price_cents"])


def _tiers(emission: Emission, by_tier: Counter[int]) -> None:
    """Print how many prizes of each tier the table has and how many were won."""
    table(
        ("tier", "prize", "in the table", "won"),
        [
            (
                tier["tier"],
                f"{euros(tier['value_cents'])} {tier['thing']}".strip(),
                "—" if tier["count"] is None else tier["count"],
                by_tier[tier["tier"]],
            )
            for tier in emission["tiers"]
        ],
    )


def _statement(stage: Stage, emission: Emission) -> dict[str, Any]:
    """Close an emission by two persons; print and return its statement (15.III.6.2)."""
    statement: dict[str, Any] = office.emission_close(stage.staff, emission)
    step("Two persons close the emission; its statement:")
    table(
        ("", ""),
        [
            ("tickets sold", f"{statement['sold']:,}"),
            ("tickets not sold", f"{statement['unsold']:,}"),
            ("takings", euros(statement["takings_cents"])),
            ("prizes won", euros(statement["awarded_cents"])),
            ("share of the takings", _percent(statement["percent"])),
            ("share that is required", _percent(statement["minimum_percent"])),
            ("missing to that share", euros(statement["shortfall_cents"])),
            ("owed to prizes of this game", euros(statement["owed_cents"])),
        ],
    )
    short = statement["awarded_cents"] * 100 < statement["takings_cents"] * 70
    need(
        short == (statement["shortfall_cents"] > 0), "the shortfall is not what is missing to 70 %"
    )
    return statement
