"""`manage.py staff_code USER`: the one-time code of a demonstration's member of staff.

The accounts of a demonstration have no telephones. Production refuses it: there a person's codes
are on that person's device and nowhere else.
"""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.staff.models import SecondFactor, User
from core.staff.second_factor import present_code


class Command(BaseCommand):
    help = "Print the one-time code of a demonstration's member of staff (not in production)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *_: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("A person's codes are on that person's device.")
        try:
            self.stdout.write(present_code(options["username"]))
        except (User.DoesNotExist, SecondFactor.DoesNotExist) as error:
            raise CommandError("There is no such person, or no second factor.") from error
