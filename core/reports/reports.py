"""List the reports that all games share."""

from core.reports import debts, money, sales
from core.reports.tables import Reports

REPORTS = Reports(
    defined=(
        sales.BY_DAY,
        sales.BY_GAME,
        sales.BY_PREMISES,
        sales.BY_TERMINAL,
        money.WON,
        money.PAID,
        money.OUTS,
        debts.BY_AGE,
        money.SHARE,
    ),
    rows={
        sales.BY_DAY.name: sales.by_day,
        sales.BY_GAME.name: sales.by_game,
        sales.BY_PREMISES.name: sales.by_premises,
        sales.BY_TERMINAL.name: sales.by_terminal,
        money.PAID.name: money.paid,
        money.OUTS.name: money.outs,
        debts.BY_AGE.name: debts.by_age,
    },
)
