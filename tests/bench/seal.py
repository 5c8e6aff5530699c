"""Sealing a contest, against reading its tickets in order and hashing their bytes in one pass.

The tickets are those of the settlement's bench. Its worker times the check of the seal apart.
"""

import json
import subprocess
import sys
import time
from random import Random
from urllib.request import Request, urlopen

from django.conf import settings
from django.db import connections

from core.kernel import codes
from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.bench.pairs import interleave, percentile

PROOFS = 400


def measure(stack: Stack, name: str, contest: Contest, *, pairs: int) -> dict[str, float]:
    """`seal.NAME.*` of a contest on sale, whose closing is undone each time."""
    peaks: list[float] = []

    def run(act: str) -> float:
        answer = json.loads(
            subprocess.run(
                [sys.executable, "-m", "tests.bench.sealer", str(contest.pk), act],
                cwd=ROOT,
                env=stack.environment | {"LOG_LEVEL": "WARNING"},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
        )
        if act == "seal":
            peaks.append(answer["peak_mb"])
        return float(answer["seconds"])

    measured = interleave(lambda: run("raw"), lambda: run("seal"), pairs=pairs)
    return {
        f"seal.{name}.raw_s": sorted(measured.baseline)[pairs // 2],
        f"seal.{name}.seal_s": sorted(measured.ours)[pairs // 2],
        f"seal.{name}.ratio": measured.ratio,
        f"seal.{name}.peak_mb": max(peaks),
    }


def with_codes(contest: Contest, rng: Random) -> list[str]:
    """Give some tickets of a contest on sale real codes; the codes as printed."""
    first, last = (
        contest.tickets.order_by(order).values_list("pk", flat=True)[0] for order in ("pk", "-pk")
    )
    chosen = Ticket.objects.filter(pk__in={rng.randint(first, last) for _ in range(PROOFS)})
    made = []
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE lototrot_ticket DISABLE TRIGGER guard_columns")
        for ticket in chosen:
            secret = bytes(contest.code_secret or b"")
            code = codes.issue(codes.TICKET, ticket.uuid, secret, settings.CODE_KEYS)
            cursor.execute(
                "UPDATE lototrot_ticket SET code_digest = %s, code_commitment = %s WHERE id = %s",
                [
                    settings.CODE_KEYS.digest(code),
                    settings.CODE_KEYS.commitment(code, ticket.uuid),
                    ticket.pk,
                ],
            )
            made.append(code.shown)
        cursor.execute("ALTER TABLE lototrot_ticket ENABLE TRIGGER guard_columns")
    return made


def proofs(stack: Stack, name: str, shown: list[str]) -> dict[str, float]:
    """`seal.NAME.proof_*`: one holder after another asks for their proof, over HTTP."""
    taken = []
    for code in [*shown[:20], *shown]:
        request = Request(  # noqa: S310  (our own server)
            f"{stack.base_url}/api/v1/lototrot/proofs",
            json.dumps({"code": code}).encode(),
            {"Content-Type": "application/json"},
        )
        began = time.perf_counter()
        with urlopen(request, timeout=60) as answer:  # noqa: S310  (our own server)
            answer.read()
        taken.append((time.perf_counter() - began) * 1000)
    taken = taken[20:]
    return {
        f"seal.{name}.proof_p50_ms": percentile(taken, 0.50),
        f"seal.{name}.proof_p99_ms": percentile(taken, 0.99),
    }
