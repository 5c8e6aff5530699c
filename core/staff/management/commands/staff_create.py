"""`manage.py staff_create`: the first account, on the server's console.

Further accounts are opened by an administrator, in the admin or through the API.
"""

import getpass
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.kernel.errors import DomainError
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import user_create


class Command(BaseCommand):
    help = "Open the first account; its password comes from the terminal or standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--full-name", required=True)
        parser.add_argument("--role", required=True, choices=Role.values)

    def handle(self, *_: Any, **options: Any) -> None:
        if User.objects.filter(is_active=True, roles__contains=[Role.ADMINISTRATOR]).exists():
            raise CommandError("There is an administrator already: accounts are opened by them.")
        typed = sys.stdin.isatty()
        password = getpass.getpass() if typed else sys.stdin.readline().rstrip("\n")
        try:
            user = user_create(
                by=None,
                username=options["username"],
                full_name=options["full_name"],
                password=password,
                roles=[options["role"]],
            )
        except DomainError as error:
            raise CommandError(f"{error.code}: {error.detail} {error.data or ''}") from error
        self.stdout.write(f"{user.username} may sign on.")
