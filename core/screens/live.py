"""Publish the boards' data as files, which are served without the application.

Thousands of boards must not slow down sales. One process publishes once a second (`manage.py
live`): it writes under `$VAR_DIR/live` the files that a proxy, or that process itself, serves:

    pulse.json            figures that change often, and the name of each feed's newest document
    <feed>-<digest>.json  a document, named by its content: it never changes and may be cached

A board reads the pulse every few seconds, and a document only when its name is new.
"""

import contextlib
import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.http import FileResponse, Http404, HttpRequest
from prometheus_client.core import Metric

from core.api import metrics
from core.database import clock
from core.database.reading.standby import read_much
from core.screens.panels import Document, Feed, feeds

PULSE = "pulse.json"
_NAME = re.compile(r"pulse\.json|[a-z]+-[0-9a-f]{20}\.json")
_DRAFT = ".draft-"
_KEEP_UNNAMED_S = 120  # a board that has just read the previous pulse still finds its documents


def folder() -> Path:
    """Return the folder of the files."""
    return Path(settings.VAR_DIR) / "live"


def prepare() -> None:
    """Compute what takes long, for the next publication."""
    for feed in feeds():
        read_much(feed.prepare)


def publish(place: Path) -> bool:
    """Publish once: write the documents that changed. Return whether any did.

    The pulse is written every time: its `at` tells a board that the system is alive.
    """
    place.mkdir(parents=True, exist_ok=True)
    published, changed = {}, False
    for feed, document, pulse in read_much(_read):
        content = _bytes(document)
        name = f"{feed.name}-{hashlib.sha256(content).hexdigest()[:20]}.json"
        if not _holds(place / name, content):
            _write(place / name, content, durably=True)
            changed = True
        published[feed.name] = {"document": name, **pulse}
    _write(place / PULSE, _bytes({"at": clock.now(), "feeds": published}))
    _forget(place, {entry["document"] for entry in published.values()})
    return changed


def _read() -> list[tuple[Feed, Document, Document]]:
    return [(feed, feed.document(), feed.pulse()) for feed in feeds()]


def age() -> Iterator[Metric]:
    """Yield the age of the pulse, if there is one. Boards mark it as old after 12 seconds."""
    try:
        at = json.loads((folder() / PULSE).read_bytes())["at"]
    except FileNotFoundError:
        return
    seconds = (clock.now() - datetime.fromisoformat(at)).total_seconds()
    yield metrics.gauge("live_pulse_age_seconds", "Age of what boards show", [((), seconds)])


def live_file(request: HttpRequest, name: str) -> FileResponse:
    """Serve one of the files, for installations where nothing else serves them."""
    if not is_name(name):
        raise Http404
    try:
        content = (folder() / name).open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    headers = {"Cache-Control": cache_control(name)}
    return FileResponse(content, content_type="application/json", headers=headers)


def is_name(name: str) -> bool:
    """Return whether a published file may have this name."""
    return bool(_NAME.fullmatch(name))


def cache_control(name: str) -> str:
    """Return the `Cache-Control` header of a file."""
    return "max-age=1" if name == PULSE else "max-age=31536000, immutable"


def _bytes(document: Document) -> bytes:
    text = json.dumps(
        document, cls=DjangoJSONEncoder, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    return text.encode()


def _holds(path: Path, content: bytes) -> bool:
    """Return whether a file has that content. Its name alone does not say so after a power cut."""
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return False


def _write(path: Path, content: bytes, *, durably: bool = False) -> None:
    """Replace a file at once, so that nobody reads half of it.

    `durably` writes it to the disk before it has its name: a document keeps its name for as long as
    nothing changes, and browsers keep it for a year. A draft that cannot be written is removed: a
    disk that is full is not filled with them.
    """
    number, name = tempfile.mkstemp(dir=path.parent, prefix=_DRAFT)
    draft = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            if durably:
                file.flush()
                os.fsync(number)
        draft.chmod(0o644)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _forget(place: Path, current: set[str]) -> None:
    """Delete old drafts, and documents that no pulse has named for a while. Other files stay."""
    oldest = time.time() - _KEEP_UNNAMED_S
    for path in place.iterdir():
        is_ours = is_name(path.name) or path.name.startswith(_DRAFT)
        with contextlib.suppress(FileNotFoundError):  # another publisher deleted it
            if path.name in current:
                os.utime(path)
            elif is_ours and path.name != PULSE and path.stat().st_mtime < oldest:
                path.unlink()
