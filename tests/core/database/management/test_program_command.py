"""Check that each command of this program starts at once, and says in words what it does."""

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from core.database.management.program_command import ProgramCommand

OURS = ("core", "lototrot", "promotrot")
CHECKING = {"migrate"}
DJANGOS = {"collectstatic", "migrate", "showmigrations"}  # they have its words


NAMES = sorted(n for n, app in get_commands().items() if str(app).partition(".")[0] in OURS)


def test_every_command_but_migrate_starts_without_checks() -> None:
    assert len(NAMES) > 20
    for name in sorted({*NAMES} - CHECKING):
        command = load_command_class(get_commands()[name], name)
        assert isinstance(command, ProgramCommand), name
        assert command.requires_system_checks == [], name


@pytest.mark.parametrize("name", NAMES)
def test_its_help_says_what_it_does_and_explains_each_argument(name: str) -> None:
    command = load_command_class(get_commands()[name], name)
    if name not in DJANGOS:
        verb = command.help.split()[0]
        assert verb[:1].isupper() and not verb.endswith("s"), f"the help begins with {verb}"
        assert command.help.endswith("."), command.help
    of_all = {action.dest for action in BaseCommand().create_parser("manage.py", name)._actions}
    own = command.create_parser("manage.py", name)._actions
    assert [each.dest for each in own if each.dest not in of_all and not each.help] == []
