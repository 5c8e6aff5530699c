import subprocess
import sys

PAGES = ("core.staff.admin", "lototrot.admin", "promotrot.admin")
LOADED = "import sys; print(*[m for m in {pages!r} if m in sys.modules], sep=' ')"


def loaded(first: str) -> list[str]:
    """Return which pages of the administration a process has loaded after `first`."""
    script = f"import django; django.setup(); {first}; {LOADED.format(pages=PAGES)}"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_a_worker_starts_without_the_pages_and_a_web_server_with_them() -> None:
    assert loaded("import core.config.celery, lototrot.tasks") == []
    assert loaded("import core.config.urls") == list(PAGES)
