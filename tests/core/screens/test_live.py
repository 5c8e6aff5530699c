"""Publish the boards' data as files: the pulse, and documents named by their content."""

import json
import os
import resource
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from core.database import encryption
from core.database.kept import forget_all
from core.screens import live
from core.screens.panels import Feed, Screens
from tests.support import emitting, factories, rounds
from tests.support.contributing import contributed

pytestmark = pytest.mark.django_db


class Course:
    """The data of one feed, which a test changes."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = {"race": 1, "name": "Hipòdrom"}
        self.prepared = 0

    def prepare(self) -> None:
        self.prepared += 1

    def screens(self) -> Screens:
        feed = Feed("course", lambda: {"sold": 7}, lambda: self.document, self.prepare)
        return Screens(feed=feed)


@pytest.fixture
def course() -> Iterator[Course]:
    course = Course()
    with contributed("screens", "SCREENS", course.screens()):
        yield course


def pulse(folder: Path) -> Any:
    return json.loads((folder / live.PULSE).read_bytes())


def test_a_document_is_written_only_when_it_changes(course: Course, tmp_path: Path) -> None:
    assert live.publish(tmp_path)
    first = pulse(tmp_path)["feeds"]["course"]
    assert first["sold"] == 7
    assert json.loads((tmp_path / first["document"]).read_bytes()) == course.document
    assert not live.publish(tmp_path)
    course.document = {"race": 2}
    assert live.publish(tmp_path)
    assert pulse(tmp_path)["feeds"]["course"]["document"] != first["document"]
    assert all(live.is_name(path.name) for path in tmp_path.iterdir())


def test_a_former_document_is_deleted_after_a_while(course: Course, tmp_path: Path) -> None:
    live.publish(tmp_path)
    former = tmp_path / pulse(tmp_path)["feeds"]["course"]["document"]
    course.document = {"race": 2}
    live.publish(tmp_path)
    assert former.exists(), "a board may have just read its name"
    long_ago = time.time() - 600
    os.utime(former, (long_ago, long_ago))
    live.publish(tmp_path)
    assert not former.exists()
    assert len(list(tmp_path.iterdir())) == 2


@contextmanager
def _full_disk() -> Iterator[None]:
    """Let no file grow in this process, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_is_not_filled_with_drafts(course: Course, tmp_path: Path) -> None:
    live.publish(tmp_path)
    published = set(tmp_path.iterdir())
    course.document = {"race": 2}
    for _ in range(3):
        with _full_disk(), pytest.raises(OSError, match="File too large"):
            live.publish(tmp_path)
    assert set(tmp_path.iterdir()) == published


def test_what_takes_long_is_prepared_apart_from_the_publication(
    course: Course, tmp_path: Path
) -> None:
    live.publish(tmp_path)
    assert course.prepared == 0
    live.prepare()
    assert course.prepared == 1


def test_the_files_are_served_and_no_others(
    course: Course, tmp_path: Path, settings: Any, client: Client
) -> None:
    settings.VAR_DIR = tmp_path
    assert client.get("/live/pulse.json").status_code == 404
    live.publish(live.folder())
    (live.folder() / "secret.json").write_text("{}")
    answer = client.get("/live/pulse.json")
    assert answer.headers["Cache-Control"] == "max-age=1"
    document = json.loads(answer.getvalue())["feeds"]["course"]["document"]
    with closing(client.get(f"/live/{document}")) as answer:
        assert "immutable" in answer.headers["Cache-Control"]
    assert client.get("/live/secret.json").status_code == 404


def test_folders_and_files_of_others_stay(course: Course, tmp_path: Path) -> None:
    """A folder that is a disk of its own has `lost+found`, which nobody may delete."""
    theirs = [tmp_path / "lost+found", tmp_path / "README", tmp_path / "course-0.json"]
    theirs[0].mkdir()
    for path in theirs[1:]:
        path.touch()
    for path in theirs:
        os.utime(path, (0, 0))
    live.publish(tmp_path)
    assert all(path.exists() for path in theirs)


def test_what_another_publisher_deletes_meanwhile_is_no_fault(
    course: Course, tmp_path: Path
) -> None:
    """Two write to one folder: a file is gone between the list of the folder and the look at it."""
    for name in (f"course-{20 * '0'}.json", ".draft-0"):
        (tmp_path / name).symlink_to(tmp_path / "gone")  # listed, and not found
    assert live.publish(tmp_path)
    assert not (tmp_path / "gone").exists()


def test_a_document_that_a_power_cut_left_in_part_is_written_again(
    course: Course, tmp_path: Path
) -> None:
    """Its name comes from its content: boards showed nothing until something was sold."""
    live.publish(tmp_path)
    document = tmp_path / pulse(tmp_path)["feeds"]["course"]["document"]
    whole = document.read_bytes()
    for part in (b"", whole[:7], bytes(len(whole))):
        document.write_bytes(part)
        assert live.publish(tmp_path)
        assert document.read_bytes() == whole
    assert not live.publish(tmp_path)


def test_a_pulse_that_a_crash_left_empty_hides_no_other_metric(
    course: Course, tmp_path: Path, settings: Any, client: Client
) -> None:
    settings.VAR_DIR = tmp_path
    live.folder().mkdir()
    (live.folder() / live.PULSE).touch()
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert "metrics_sources_failed 1.0" in answer.content.decode()


def test_the_age_of_the_pulse_is_a_metric(course: Course, tmp_path: Path, settings: Any) -> None:
    settings.VAR_DIR = tmp_path
    assert list(live.age()) == []
    live.publish(live.folder())
    (metric,) = live.age()
    assert metric.name == "live_pulse_age_seconds"
    assert 0 <= metric.samples[0].value < 60


@pytest.mark.parametrize(
    ("name", "is_good"),
    [
        ("pulse.json", True),
        ("lototrot-0123456789abcdef0123.json", True),
        ("lototrot-0123456789ABCDEF0123.json", False),
        ("lototrot-0123.json", False),
        ("../pulse.json", False),
        ("pulse.json\n", False),
    ],
)
def test_only_names_of_published_files_are_served(name: str, is_good: bool) -> None:
    assert live.is_name(name) is is_good


def test_what_is_published_needs_no_key(settings: Any, tmp_path: Path) -> None:
    """The process `live` holds no keys: it must read nothing that is encrypted."""
    contest = rounds.published()
    emitting.opened(emitting.small())
    rounds.sell(contest, factories.point(), [(1,) * 7])
    for ring in ("DATA_KEYS", "CODE_KEYS", "TOKEN_KEYS", "SEED_KEYS", "SIGNING_KEYS"):
        delattr(settings, ring)
    forget_all()
    encryption._cipher.cache_clear()
    live.prepare()
    assert live.publish(tmp_path)
    assert len(pulse(tmp_path)["feeds"]["lototrot"]["contests"]) == 1
