"""Check that no command of this program loads all addresses and pages to check them."""

from django.core.management import get_commands, load_command_class

from core.database.management.program_command import ProgramCommand

OURS = ("core", "lototrot", "promotrot")
CHECKING = {"migrate"}


def test_every_command_but_migrate_starts_without_checks() -> None:
    names = {
        name for name, app in get_commands().items() if str(app).partition(".")[0] in OURS
    } - CHECKING
    assert len(names) > 20
    for name in sorted(names):
        command = load_command_class(get_commands()[name], name)
        assert isinstance(command, ProgramCommand), name
        assert command.requires_system_checks == [], name
