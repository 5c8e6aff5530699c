"""Seconds to seal a contest, against reading its tickets in order and hashing them in one pass.

The tickets are those that the settlement then counts.
"""

import json
import time
from urllib.request import Request, urlopen

from tests.bench.pairs import interleave, percentile
from tests.bench.store import Figures, Store
from tests.bench.tickets import filled
from tests.support import factories

WARM = 20


def measure(store: Store, *, kind: str) -> Figures:
    """Return the figures `seal.KIND.*`; every sealing but the last is undone."""
    tickets = filled(store, kind, on_sale=True)
    factories.contest_closed(tickets.contest, sealed=False)
    peaks_mb: list[float] = []

    def seconds(act: str) -> float:
        answer = store.process("sealer", tickets.contest.pk, act)
        if act == "seal":
            peaks_mb.append(answer["peak_mb"])
        return float(answer["seconds"])

    measured = interleave(lambda: seconds("raw"), lambda: seconds("seal"), pairs=store.size.pairs)
    tickets.close()
    latencies_ms = _proofs(store, tickets.codes)
    return {
        f"seal.{kind}.raw_s": measured.baseline_median,
        f"seal.{kind}.seal_s": measured.ours_median,
        f"seal.{kind}.ratio": measured.ratio,
        f"seal.{kind}.peak_mb": max(peaks_mb),
        f"seal.{kind}.proof_p50_ms": percentile(latencies_ms, 0.50),
        f"seal.{kind}.proof_p99_ms": percentile(latencies_ms, 0.99),
    }


def _proofs(store: Store, codes: list[str]) -> list[float]:
    """Ask for the proof of each code over HTTP; return the latencies in ms."""
    latencies_ms = []
    for code in [*codes[:WARM], *codes]:
        request = Request(  # noqa: S310  (our own server)
            f"{store.stack.base_url}/api/v1/lototrot/proofs",
            json.dumps({"code": code}).encode(),
            {"Content-Type": "application/json"},
        )
        began = time.perf_counter()
        with urlopen(request, timeout=60) as answer:  # noqa: S310  (our own server)
            answer.read()
        latencies_ms.append((time.perf_counter() - began) * 1000)
    return latencies_ms[len(codes[:WARM]) :]
