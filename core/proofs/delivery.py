"""Giving the public log to whoever is to hold a copy: folders and HTTP addresses, by settings.

What others hold cannot be rewritten without their seeing it. Nothing waits for a receiver: a swept
task brings each what it does not have, in order, and tries again later where one does not answer.
"""

import os
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from urllib.error import URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.conf import settings
from django.db.models import Q

from core.database import clock
from core.kernel.canonical import canonical_bytes
from core.proofs.models import LogEntry, Receiver

MOST_AT_ONCE = 500
TIMEOUT_S = 10
_FIRST_WAIT, _LONGEST_WAIT = timedelta(seconds=5), timedelta(hours=1)


class _NoRedirect(HTTPRedirectHandler):
    """A receiver is where it was configured, and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


_opener = build_opener(_NoRedirect)


def deliveries_due() -> list[int]:
    """The configured receivers that lack an entry and are not waited for."""
    for address in settings.LOG_RECEIVERS:
        Receiver.objects.get_or_create(address=address)
    newest = LogEntry.objects.order_by("-sequence").values_list("sequence", flat=True).first()
    due = Receiver.objects.filter(
        Q(retry_at=None) | Q(retry_at__lte=clock.now()),
        address__in=settings.LOG_RECEIVERS,
        delivered_sequence__lt=newest or 0,
    )
    return list(due.order_by("pk").values_list("pk", flat=True))


def deliver(*, receiver_id: int) -> int:
    """Bring a receiver what it lacks; how many entries it took.

    It may be given one twice, if a worker dies on the way: they are numbered.
    """
    receiver = Receiver.objects.get(pk=receiver_id)
    lacking = LogEntry.objects.select_related("key").order_by("sequence")
    taken = 0
    for entry in lacking.filter(sequence__gt=receiver.delivered_sequence)[:MOST_AT_ONCE]:
        try:
            _give(receiver.address, entry)
        except (OSError, URLError) as error:
            _wait(receiver, error)
            break
        Receiver.objects.filter(pk=receiver_id, delivered_sequence=entry.sequence - 1).update(
            delivered_sequence=entry.sequence, failures=0, last_error="", retry_at=None
        )
        taken += 1
    return taken


def _give(address: str, entry: LogEntry) -> None:
    content = canonical_bytes(entry.published()) + b"\n"
    if address.startswith("/"):
        _to_folder(Path(address), f"{entry.sequence:09d}.json", content)
        return
    request = Request(address, content, {"Content-Type": "application/json"})  # noqa: S310
    with _opener.open(request, timeout=TIMEOUT_S) as answer:
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise OSError(f"answered {answer.status}")


def _to_folder(folder: Path, name: str, content: bytes) -> None:
    """A file for each entry, whole or not there. Another one under its name is never replaced."""
    target, draft = folder / name, folder / f".{name}.{os.getpid()}"
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, target)
    except FileExistsError:
        if target.read_bytes() != content:
            raise OSError(f"{name} is there already, and another") from None
    finally:
        draft.unlink(missing_ok=True)


def _wait(receiver: Receiver, error: Exception) -> None:
    failures = Receiver.objects.values_list("failures", flat=True).get(pk=receiver.pk) + 1
    wait = min(_FIRST_WAIT * 2 ** min(failures - 1, 16), _LONGEST_WAIT)
    Receiver.objects.filter(pk=receiver.pk).update(
        failures=failures,
        last_error=f"{type(error).__name__}: {error}"[:200],
        retry_at=clock.now() + wait,
    )
