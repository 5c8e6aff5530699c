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


def test_a_worker_starts_without_the_pages_and_a_web_server_with_them() -> None:
    worker, web = loaded("import core.config.celery, lototrot.tasks", "import core.config.urls")
    assert worker == []
    assert web == list(PAGES)
