import pytest

from tests.support.processes.forking import forked

PAGES = ("core.staff.admin", "lototrot.admin", "promotrot.admin")
SHOW = f"""
import sys
print(*[page for page in {PAGES!r} if page in sys.modules])
"""


def loaded(*firsts: str) -> list[list[str]]:
    """Return which pages of the administration a process has loaded after each statement."""
    ended = forked(*(f"{first}\n{SHOW}" for first in firsts))
    assert [each.returncode for each in ended] == [0] * len(firsts), ended
    return [each.stdout.split() for each in ended]


SALES = """
from django.conf import settings
from django.test import Client
settings.PROCESS_ROLE, settings.LIMITS_URL = "sales", "memory://"
for path in ("/admin/", "/admin/login/", "/admin/staff/user/"):
    assert Client(headers={"host": "localhost"}).get(path).status_code == 421, path
"""


@pytest.mark.servers
def test_only_a_web_server_for_everybody_starts_with_the_pages() -> None:
    """One for sales refuses every page of the administration, and loads none."""
    worker, web, sales = loaded(
        "import core.config.celery, lototrot.tasks", "import core.config.urls", SALES
    )
    assert worker == []
    assert web == list(PAGES)
    assert sales == []
