"""Run the commands of docs/api.md as they stand, and compare their answers with those it shows."""

import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from core.premises.operators import operator_register
from core.premises.proving import Proof, SignedRequest, public_key_read, signed_by
from core.premises.requests import new_uuid
from core.staff.powers import Role
from core.tools.raceday.key import PROOF_HEADER
from lototrot.models.tickets import Ticket
from lototrot.services.tickets.putting_on_sale import contest_publish
from tests.support import emitting, factories
from tests.support.operations.called import Called, fault, operations

pytestmark = pytest.mark.django_db
DOCUMENT = settings.BASE_DIR / "docs" / "api.md"
_BLOCK = re.compile(r"^```(\w+) ?(\d*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TAKEN = re.compile(r"^# (\w+) is (\.\S+) of the answer$", re.MULTILINE)
_FLAGS = {"-s"}


@dataclass(frozen=True, slots=True)
class Step:
    """A command, and the status, kind and body of the answer that the document shows."""

    command: str
    status: int
    kind: str
    body: str


def steps() -> list[Step]:
    blocks = _BLOCK.findall(DOCUMENT.read_text("utf-8"))
    commands, answers = blocks[::2], blocks[1::2]
    assert [kind for kind, _, _ in commands] == ["sh"] * len(answers)
    return [
        Step(command, int(status), kind, body)
        for (_, _, command), (kind, status, body) in zip(commands, answers, strict=True)
    ]


def proof(command: str, variables: dict[str, str]) -> str:
    """Return the proof that the command needs, made as the document says."""
    without = command.replace("$PROOF", "")
    path = re.findall(r"\$BASE(/\S+)", without)[0]
    body = re.findall(r"-d '(.*)'$", without, re.MULTILINE)[0]
    for name, value in variables.items():
        body = body.replace(f"'${name}'", value)
    key_proof = factories.KEY.prove(path, variables["TOKEN"], body.encode())
    return key_proof[PROOF_HEADER]


def request(command: str, variables: dict[str, str]) -> Any:
    """Send the request that curl would send."""
    if "$PROOF" in command:
        variables = variables | {"PROOF": proof(command, variables)}
    text = re.sub(r"^#.*$", "", command, flags=re.MULTILINE)
    for name in sorted(variables, key=len, reverse=True):
        text = text.replace(f"${name}", variables[name])
    assert "$" not in text, text
    words = shlex.split(text.replace("\\\n", " "))
    assert words.pop(0) == "curl"
    method, url, body, headers = "", "", None, {}
    while words:
        word = words.pop(0)
        match word:
            case "-H":
                name, _, value = words.pop(0).partition(": ")
                headers[name] = value
            case "-X":
                method = words.pop(0)
            case "-d":
                body = words.pop(0)
            case "-o":
                words.pop(0)
            case _ if word not in _FLAGS:
                assert not url
                url = word
    parts = urlsplit(url)
    return Client().generic(
        method or ("POST" if body else "GET"),
        f"{parts.path}?{parts.query}",
        body or "",
        content_type=headers.get("Content-Type", "application/octet-stream"),
        headers=headers,
    )


def called_at(method: str, path: str) -> Called:
    """Return the operation of the document that has this address."""
    return next(
        called
        for called in sorted(operations(), key=lambda each: each.path.count("{"))
        if called.method == method.lower()
        and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", called.path), path)
    )


def taken(answer: Any, path: str) -> str:
    """Return the part of an answer that a jq path such as `.items[0].id` names."""
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        answer = answer[name] if name else answer[int(index)]
    return str(answer)


def agrees(example: Any, answered: Any, *, whole: bool, place: str = "$") -> None:
    """Check that the body shown has names and types of the answer, and all of them if it is
    complete.
    """
    if isinstance(example, dict):
        assert isinstance(answered, dict), place
        if whole:
            assert example.keys() == answered.keys(), f"docs/api.md, an answer at {place}"
        for name, value in example.items():
            agrees(value, answered[name], whole=True, place=f"{place}.{name}")
    elif isinstance(example, list):
        assert isinstance(answered, list), place
        if example:
            assert answered, place
            agrees(example[0], answered[0], whole=True, place=f"{place}[0]")
    elif example is not None and answered is not None:
        assert type(example) is type(answered), place


def prepared() -> dict[str, str]:
    """Prepare what the organiser does before the terminal is switched on."""
    organiser = factories.staff(Role.ORGANISER)
    place = factories.premises()
    code = factories.enrolment_code(place, "T-0001")
    pin, first_pin = "482915", "271828"
    operator_register(
        by=organiser, premises=place.code, number=1, name="Joan Sastre", pin=first_pin
    )
    contest = factories.contest(factories.meeting(numbers=range(1, 10)), correction_window_s=120)
    rules = {"ca": "Reglament.", "es": "Reglamento.", "en": "Rules."}
    contest_publish(by=organiser, contest=contest, rules=rules)
    return {
        "BASE": "http://testserver",
        "ENROLMENT_CODE": code,
        "PUBLIC_KEY": factories.KEY.public,
        "PIN": pin,
        "GIVEN_PIN": first_pin,
        "UUID": str(new_uuid()),
        "OTHER_UUID": str(new_uuid()),
        "PLAY_UUID": str(new_uuid()),
        "EMISSION": str(emitting.opened(emitting.small()).pk),
    }


def test_the_walk_through_a_terminals_day() -> None:
    variables = prepared()
    whole_shown_at: set[str] = set()
    for step in steps():
        response = request(step.command, variables)
        assert response.status_code == step.status, (step.command, response.content)
        sent = response.wsgi_request
        assert fault(called_at(sent.method, sent.path), response) == "", step.command
        if step.kind != "json":
            assert bool(response.content) == (step.kind != "none")
            continue
        answered = response.json()
        # Where a card has been shown whole, later answers may show what matters of it.
        card = "notices" in answered
        whole = not (card and whole_shown_at)
        whole_shown_at |= {"card"} if card else set()
        agrees(json.loads(step.body), answered, whole=whole)
        for name, path in _TAKEN.findall(step.command):
            variables[name] = taken(answered, path)
    (ticket,) = Ticket.objects.all()
    assert str(ticket.uuid) == variables["UUID"]
    assert len(steps()) >= 15


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl: apt-get install openssl")
def test_its_commands_make_a_proof(tmp_path: Path) -> None:
    """The commands with OpenSSL give a proof that is accepted."""
    prose = _BLOCK.sub("", DOCUMENT.read_text("utf-8"))
    matches = re.findall(r"^ {4,}\S.*$", prose, re.MULTILINE)
    script = "\n".join([*matches, 'echo "$PUBLIC_KEY $PROOF"'])
    request = SignedRequest("POST", "/api/v1/terminal/session", "token", b'{"number": 1}')
    done = subprocess.run(
        ["bash", "-ec", script],
        cwd=tmp_path,
        env=os.environ | {"TOKEN": request.token, "BODY": request.body.decode()},
        capture_output=True,
        text=True,
        check=True,
    )
    key, _, header = done.stdout.strip().partition(" ")
    read_proof = Proof.of(header)
    assert signed_by(
        public_key_read(key), read_proof.signature, request.statement(read_proof.number)
    )


def test_every_address_it_names_exists() -> None:
    """Each address of the table for staff is in the schema."""
    schema = (settings.BASE_DIR / "docs" / "openapi.yaml").read_text("utf-8")
    paths = {
        re.sub(r"\{\w+\}", "{}", path)
        for path in re.findall(r"^  (/api/v1/\S+):$", schema, re.MULTILINE)
    }
    table = DOCUMENT.read_text("utf-8").rpartition("| --- | --- |")[2]
    named = re.findall(r"`(?:GET |POST )?([a-z][a-z./{}-]+)`", table)
    assert len(named) > 20
    for path in named:
        assert re.sub(r"\{\w+\}", "{}", f"/api/v1/lototrot/{path}") in paths, path
