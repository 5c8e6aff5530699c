import subprocess
import sys

PAGES = ("core.staff.admin", "lototrot.admin", "promotrot.admin")
# It sets the program up once; each statement of the arguments is then run in a fork of its own.
LOADED = """
import os
import sys

import django

django.setup()
for first in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        exec(first)
        print(*[page for page in {pages!r} if page in sys.modules], flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(1)
"""


def loaded(*firsts: str) -> list[list[str]]:
    """Return which pages of the administration a process has loaded after each statement."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(pages=PAGES), *firsts],
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split() for line in done.stdout.splitlines()]


SALES = """
from django.conf import settings
from django.test import Client
settings.PROCESS_ROLE, settings.LIMITS_URL = "sales", "memory://"
for path in ("/admin/", "/admin/login/", "/admin/staff/user/"):
    assert Client(headers={"host": "localhost"}).get(path).status_code == 421, path
"""


def test_only_a_web_server_for_everybody_starts_with_the_pages() -> None:
    """One for sales refuses every page of the administration, and loads none."""
    worker, web, sales = loaded(
        "import core.config.celery, lototrot.tasks", "import core.config.urls", SALES
    )
    assert worker == []
    assert web == list(PAGES)
    assert sales == []
