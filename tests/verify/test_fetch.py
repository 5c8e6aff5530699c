"""A stranger fetches the log and a proof with one command, and checks them with the next ones."""

import io
import json
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from core.proofs import log
from tests.support import factories
from tests.support.admin_desk import sold_with_code
from tests.support.verifying.forging import Refused, public_key, published_log
from tests.support.verifying.load import FOLDER, verifier

fetch = verifier("fetch")
HERE = "https://lototrot.example"


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """An internet that has the API of this system alone."""

    def urlopen(request: urllib.request.Request, timeout: float) -> io.BytesIO:
        assert request.full_url.startswith(f"{HERE}/api/") and timeout
        path = request.full_url.removeprefix(HERE)
        body: Any = request.data
        kind = "application/json"
        client = Client()
        answer = client.post(path, body, content_type=kind) if body else client.get(path)
        content = io.BytesIO(answer.content)
        if answer.status_code >= 400:
            raise urllib.error.HTTPError(path, answer.status_code, "", Message(), content)
        return content

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)


def test_a_holder_checks_their_ticket_with_the_commands_that_are_said(
    internet: None, tmp_path: Path
) -> None:
    contest = factories.contest(factories.meeting(races=7))
    _, code = sold_with_code(contest, factories.point())
    factories.contest_closed(contest)
    for number in range(210):  # more than a page
        log.publish(kind="test.fact", subject=str(number), document={"n": number})
    head, *commands = fetch.check(f"{HERE}/", str(tmp_path / "my own"), code).splitlines()
    assert head.startswith("FETCHED, not checked.")
    kept = (tmp_path / "my own" / "log.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(each) for each in kept] == published_log()
    verdicts = []
    for command in commands:
        python, script, *words = shlex.split(command)
        assert python == "python" and public_key() in words
        run = [sys.executable, str(FOLDER / script), *words]
        verdicts.append(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    whole, listed, sealed = verdicts
    assert whole.startswith(f"WHOLE: {len(kept)} entries")
    assert "1 tickets" in listed and "NOT SETTLED" in listed
    assert sealed.startswith("SEALED: ticket 1 of 1") and "The public log has this seal" in sealed


def test_a_kept_copy_gives_way_only_to_one_that_goes_on_from_it(
    internet: None, tmp_path: Path
) -> None:
    """Of two logs for two readers, both copies are needed to show it."""
    kept, new = tmp_path / "log.jsonl", tmp_path / "log.new.jsonl"
    log.publish(kind="test.fact", subject="a", document={"n": 1})
    fetch.check(HERE, str(tmp_path))
    log.publish(kind="test.fact", subject="b", document={"n": 2})
    before = kept.read_text("utf-8")
    fetch.check(HERE, str(tmp_path))
    assert kept.read_text("utf-8").startswith(before) and kept.read_text("utf-8") != before
    for other in (before.replace('"n":1', '"n":3'), kept.read_text("utf-8") + before):
        kept.write_text(other, "utf-8")
        with pytest.raises(Refused, match=r"entry \d of .*new.jsonl: not as in .*log.jsonl, your"):
            fetch.check(HERE, str(tmp_path))
        assert kept.read_text("utf-8") == other and new.read_text("utf-8").startswith(before)


def test_a_server_that_does_not_answer_costs_no_copy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "log.jsonl").write_text("kept", "utf-8")

    def urlopen(*_: Any, **__: Any) -> None:
        raise urllib.error.URLError("refused")

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    with pytest.raises(Refused, match=r"/api/v1/log.*: no answer \(refused\)"):
        fetch.check(HERE, str(tmp_path))
    assert (tmp_path / "log.jsonl").read_text("utf-8") == "kept"


@pytest.mark.parametrize("address", ["http://lototrot.example", "http://localhost.example"])
def test_a_code_is_not_sent_where_others_can_read_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str
) -> None:
    """A winning ticket is paid to the first who has its code (14.III.10)."""
    monkeypatch.setattr(fetch, "log_of", lambda *_: ["00" * 32])
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: pytest.fail("it was sent"))
    with pytest.raises(Refused, match="not https://: who sees your code"):
        fetch.check(address, str(tmp_path), "1RJBB329XAQ2QBR8STQC58F7")


def test_a_ticket_that_was_not_sealed_is_refused_with_the_answer(
    internet: None, tmp_path: Path
) -> None:
    log.publish(kind="test.fact", subject="a", document={"n": 1})
    with pytest.raises(Refused, match=r"/api/v1/lototrot/proofs: \w+: "):
        fetch.check(HERE, str(tmp_path), "1RJBB329XAQ2QBR8STQC58F7")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"[]", "not an object"),
        (b"<html>", "not JSON"),
        (b'{"items": "\xff"}', "not UTF-8"),
        (b'{"items": [], "next": null}', "without entries"),
        (b'{"items": [{"sequence": 2}], "next": "x"}', "entry 1: missing, added or moved"),
        (b'{"items": [7], "next": "x"}', "entry 1: missing, added or moved"),
    ],
)
def test_what_is_no_log_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: bytes, why: str
) -> None:
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: io.BytesIO(answer))
    with pytest.raises(Refused, match=why):
        fetch.check(HERE, str(tmp_path))


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://x", "lototrot.example", ""])
def test_an_address_is_one_of_the_web(address: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="ADDRESS"):
        fetch.check(address, str(tmp_path))


def test_who_is_told_that_there_are_too_many_asks_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A long log is more pages than a stranger may ask for at once; nothing is wrong with it."""
    key = {"kind": "proofs.key", "document": {"reason": "first", "public_key": "ab" * 32}}
    page, waits = {"items": [{"sequence": 1, **key}], "next": None}, list[float]()
    busy = b'{"code": "throttled", "detail": "Too many."}'

    def urlopen(request: urllib.request.Request, timeout: float) -> io.BytesIO:
        if len(waits) < tries:
            raise urllib.error.HTTPError(HERE, 429, "", Message(), io.BytesIO(busy))
        return io.BytesIO(json.dumps(page).encode())

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    monkeypatch.setattr("time.sleep", waits.append)
    tries = 3
    assert "public_log.py" in fetch.check(HERE, str(tmp_path))
    assert waits == [1, 2, 3]
    tries = 1000
    with pytest.raises(Refused, match="throttled: Too many"):
        fetch.check(HERE, str(tmp_path))
    assert sum(waits) < 600
