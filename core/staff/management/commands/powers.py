"""Print the roles that may do each act, app by app."""

from typing import Any

from core.database.management.program_command import ProgramCommand
from core.staff.powers import Powers, Role, tables

INTRODUCTION = """\
# Powers

Who may do what: an act in each row, a role in each column, and `x` where the role may do the act.
An act that is not here can be done by nobody. An act of two persons needs two people with its
power, never the same person twice. Production knows no superuser.

Each table is the constant `POWERS` in the module `powers.py` of one app. The services ask for the
power before they do anything else. `make documents` writes this page."""


class Command(ProgramCommand):
    help = "Print the roles that may do each act, app by app: the page docs/powers.md."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(page())


def page() -> str:
    """Return the page: an introduction, then one table for each app that defines powers."""
    parts = [INTRODUCTION]
    for app, powers in tables().items():
        parts.append(f"## {app.removeprefix('core.').capitalize()}\n\n{table_text(powers)}")
    return "\n\n".join(parts)


def table_text(powers: Powers) -> str:
    """Return acts by roles as a Markdown table whose columns are aligned."""
    roles = list(Role)
    rows = [
        [f"`{act}`", *("x" if role in powers[act] else "" for role in roles)]
        for act in sorted(powers)
    ]
    header = ["act", *(role.value for role in roles)]
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    rule = ["-" * width for width in widths]
    return "\n".join(_line(row, widths) for row in [header, rule, *rows])


def _line(cells: list[str], widths: list[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"
