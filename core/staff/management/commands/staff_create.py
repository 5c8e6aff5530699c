"""Open the first two accounts, on the server's console: `manage.py staff_create`.

Two administrators open further accounts in the admin or through the API.
"""

import getpass
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import user_create


class Command(ProgramCommand):
    help = (
        "Open an account while there are not yet two administrators, who then open all others. Read"
        " its first password from the terminal or standard input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="the name to sign on with; no part of the full name")
        parser.add_argument("--full-name", required=True, help="the person's name and surnames")
        parser.add_argument("--role", required=True, choices=Role.values, help="one role")

    def handle(self, *_: Any, **options: Any) -> None:
        if User.objects.filter(is_active=True, roles__contains=[Role.ADMINISTRATOR]).count() >= 2:
            raise CommandError("There are two administrators already: they open further accounts.")
        is_typed = sys.stdin.isatty()
        password = getpass.getpass() if is_typed else sys.stdin.readline().rstrip("\n")
        user = user_create(
            username=options["username"],
            full_name=options["full_name"],
            password=password,
            roles=[options["role"]],
        )
        self.stdout.write(f"{user.username} can sign on now, and must then set another password.")
