"""List everything that may go wrong in a season, with its chance."""

from tests.support.season import office_incidents as office
from tests.support.season import race_incidents as races
from tests.support.season import result_incidents as results
from tests.support.season.moments import Incident, Moment

INCIDENTS: tuple[Incident, ...] = (
    Incident(
        "meeting across the change of clocks",
        Moment.SETTLED,
        0,
        races.past_midnight,
        prepares=races.night_of_change_comes,
        alone=True,
        on=races.clocks_change_after,
    ),
    Incident("meeting on 29 February", Moment.ORDERED, 0, races.leap_day, on=races.is_leap_day),
    Incident("discarded draft", Moment.DRAFT, 0.06, races.discarded_draft),
    Incident("false stop", Moment.ON_SALE, 0.06, races.false_stop),
    Incident("winner keyed wrong", Moment.SETTLED, 0.06, results.keyed_wrong, alone=True),
    Incident("late order", Moment.SETTLED, 0.05, races.late_order, prepares=races.late_order_comes),
    Incident("killed settlement", Moment.CLOSED, 0.03, races.killed_settlement),
    Incident(
        "race past midnight",
        Moment.SETTLED,
        0.06,
        races.past_midnight,
        prepares=races.past_midnight_comes,
        alone=True,
    ),
    Incident("delayed start", Moment.BEFORE_START, 0.06, races.delayed_start, alone=True),
    Incident("print lost", Moment.BEFORE_START, 0.06, races.print_lost, alone=True),
    Incident("true stop", Moment.BEFORE_START, 0.06, races.true_stop, alone=True),
    Incident("bets after an early start", Moment.BEFORE_START, 0.06, races.early_start, alone=True),
    Incident(
        "start corrected after settlement",
        Moment.SETTLED,
        0.06,
        races.corrected_start,
        prepares=races.late_bets_come,
        alone=True,
    ),
    Incident(
        "start corrected after order",
        Moment.ORDERED,
        0.06,
        races.corrected_after_order,
        prepares=races.late_bets_come,
        alone=True,
    ),
    Incident(
        "race without a result, drawn",
        Moment.RACED,
        0.06,
        results.drawn,
        prepares=results.race_without_result_comes,
        alone=True,
    ),
    Incident(
        "meeting called off, drawn",
        Moment.RACED,
        0.06,
        results.drawn,
        prepares=results.storm_comes,
        alone=True,
    ),
    Incident("licence ended in the past", Moment.SETTLED, 0.06, races.licence_ended, alone=True),
    Incident("unreadable deposit", Moment.CLAIM, 0.08, office.unreadable_deposit),
    Incident("closed premises", Moment.PLAYS, 0.08, office.closed_premises),
    Incident("game ended in debt", Moment.PLAYS, 0.08, office.game_ended_in_debt),
    Incident("paper out at midnight", Moment.EVENING, 0.1, office.paper_out_at_midnight),
    Incident("killed night", Moment.NIGHT, 0.02, office.killed_night),
)
