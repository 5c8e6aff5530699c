"""What the boards show, published as files that are given out without asking the application.

Thousands of boards must not cost the sales anything. One process looks once a second (`manage.py
live`) and writes, under `$VAR_DIR/live`, what a proxy or that process itself gives out:

    pulse.json            what changes all the time, and the name of each feed's newest document
    <feed>-<digest>.json  a document, named by its content: it never changes and may be kept

A board reads the pulse every few seconds, and a document only when its name is new.
"""

import hashlib
import json
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
from core.screens.panels import Document, feeds

PULSE = "pulse.json"
_NAME = re.compile(r"pulse\.json|[a-z]+-[0-9a-f]{20}\.json")
_KEPT_S = 120  # a board that has just read the old pulse still finds the old document


def folder() -> Path:
    """Where the files are."""
    return Path(settings.VAR_DIR) / "live"


def prepare() -> None:
    """Do what takes long, for the next publication."""
    for feed in feeds():
        feed.prepare()


def publish(place: Path) -> bool:
    """Look at everything once and write what has changed; whether anything had.

    The pulse is written every time: its `at` tells a board that the system is alive.
    """
    place.mkdir(parents=True, exist_ok=True)
    published, changed = {}, False
    for feed in feeds():
        content = _bytes(feed.document())
        name = f"{feed.name}-{hashlib.sha256(content).hexdigest()[:20]}.json"
        if not (place / name).exists():
            _write(place / name, content)
            changed = True
        published[feed.name] = {"document": name, **feed.pulse()}
    _write(place / PULSE, _bytes({"at": clock.now(), "feeds": published}))
    _forget(place, {entry["document"] for entry in published.values()})
    return changed


def age() -> Iterator[Metric]:
    """How long ago the pulse was written, once there is one: boards call 12 seconds old."""
    try:
        at = json.loads((folder() / PULSE).read_bytes())["at"]
    except FileNotFoundError:
        return
    seconds = (clock.now() - datetime.fromisoformat(at)).total_seconds()
    yield metrics.gauge("live_pulse_age_seconds", "Age of what boards show", [((), seconds)])


def live_file(request: HttpRequest, name: str) -> FileResponse:
    """One of the files, where nothing else gives them out."""
    if not is_name(name):
        raise Http404
    try:
        content = (folder() / name).open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    headers = {"Cache-Control": kept(name)}
    return FileResponse(content, content_type="application/json", headers=headers)


def is_name(name: str) -> bool:
    """Whether a file that is published may be called so."""
    return bool(_NAME.fullmatch(name))


def kept(name: str) -> str:
    """How long whoever has read it may keep it, as `Cache-Control`."""
    return "max-age=1" if name == PULSE else "max-age=31536000, immutable"


def _bytes(document: Document) -> bytes:
    words = json.dumps(
        document, cls=DjangoJSONEncoder, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    return words.encode()


def _write(path: Path, content: bytes) -> None:
    """At once or not at all: a reader never meets half a file."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def _forget(place: Path, current: set[str]) -> None:
    """Documents in use are touched; what nobody has named for a while goes."""
    oldest = time.time() - _KEPT_S
    for path in place.iterdir():
        if path.name in current:
            path.touch()
        elif path.name != PULSE and path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)
