"""Print the one-time code of a demonstration's member of staff: `manage.py staff_code USER`.

People of a demonstration have no devices. The command refuses to run in production, where codes
exist only on people's devices.
"""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.staff.models import SecondFactor, User
from core.staff.second_factor import present_code


class Command(ProgramCommand):
    help = "Print the one-time code of a demonstration's member of staff (not in production)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="the name with which the person signs on")

    def handle(self, *_: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("This command does not run in production: codes are on devices.")
        try:
            self.stdout.write(present_code(options["username"]))
        except (User.DoesNotExist, SecondFactor.DoesNotExist) as error:
            raise CommandError("There is no such account, or it has no second factor.") from error
