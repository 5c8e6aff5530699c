"""The proof of a ticket, checked by the stand-alone verifier, as sold and with anything changed."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.kernel.canonical import with_digests
from core.proofs import keys
from core.proofs.models import LogEntry
from core.staff import two_persons
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket, Void
from lototrot.services.seal.proving import TicketNotSealed, ticket_proof
from lototrot.services.settlement.breach import breach_void
from tests.support import factories
from tests.support.admin_desk import sold_with_code
from tests.support.api import Api, refused
from tests.support.verifying import tamper
from tests.support.verifying.forging import (
    Refused,
    public_key,
    published_log,
    signed,
    written,
)
from tests.support.verifying.load import FOLDER, verifier

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.1.5")]

ticket, public_log = verifier("ticket"), verifier("public_log")


@pytest.fixture
def contest() -> Contest:
    return factories.contest(factories.meeting(races=7))


def sold(contest: Contest, count: int) -> list[tuple[Ticket, str]]:
    point = factories.point()
    return [sold_with_code(contest, point) for _ in range(count)]


def test_every_holder_proves_their_own_ticket_and_no_other(contest: Contest) -> None:
    every = sold(contest, 9)
    factories.contest_closed(contest)
    proofs = [ticket_proof(presented_code=code) for _, code in every]
    assert [proof["place"] for proof in proofs] == list(range(9))
    for (_, code), proof in zip(every, proofs, strict=True):
        verdict = ticket.proof_holds(proof, code, keys.current_public())
        assert verdict.startswith(
            f"SEALED: ticket {proof['place'] + 1} of 9 of the lototrot contest"
        )
        numbers = [", ".join(map(str, race)) for race in proof["ticket"]["selections"]]
        assert f"\nselections: {'; '.join(numbers)}\n" in f"{verdict}\n"
        assert len(proof["path"]) <= 4
    with pytest.raises(Refused, match="CODE"):
        ticket.proof_holds(proofs[0], every[1][1], keys.current_public())
    with pytest.raises(Refused, match=r"proof\.seal\.key"):
        ticket.proof_holds(proofs[0], every[0][1], bytes(32))
    text = json.dumps(proofs[0])
    assert all(str(each.uuid) not in text and code not in text for each, code in every)


def test_anything_changed_in_a_proof_is_refused_by_name(contest: Contest) -> None:
    every = sold(contest, 5)
    factories.contest_closed(contest)
    place = every[0][0].premises
    for period in place.authorisations.all():
        factories.ended(period, period.valid_from)
    factories.started(factories.races_of(contest)[0])
    first, second = factories.two_organisers()
    two_persons.confirm(proposal=breach_void(by=first, contest_id=contest.pk).uuid, by=second)
    code, key = every[2][1], keys.current_public()
    proof = ticket_proof(presented_code=code)
    assert "VOIDED AFTERWARDS by amendment 1" in ticket.proof_holds(proof, code, key)
    tried = 0
    for where, changed in tamper.changes(proof):
        tried += 1
        with pytest.raises(Refused) as refusal:
            ticket.proof_holds(changed, code, key)
        # What has digests of its own names its field, of an entry it is the entry that is named.
        step = where[-1] if "digests" in where else where[0]
        document = where[where.index("document") :] if "document" in where else ()
        field = document[1:2] or (where[1:2] if where[0] == "ticket" else ()) or (step,)
        wanted = str(step if "digests" in where and step != "digests" else field[0])
        assert wanted.replace("digests", "") in str(refusal.value), (where, str(refusal.value))
    assert tried > 300


def test_a_proof_whose_digests_were_made_to_fit_is_still_refused(contest: Contest) -> None:
    ((_, code), *_) = sold(contest, 6)
    factories.contest_closed(contest)
    proof = ticket_proof(presented_code=code)
    for where, changed in tamper.changes({k: v for k, v in proof.items() if k != "digests"}):
        if not isinstance(changed, dict) or "digests" in where or "seal" in where:
            continue
        mine = changed.get("ticket")
        if isinstance(mine, dict):
            changed["ticket"] = with_digests({k: v for k, v in mine.items() if k != "digests"})
        with pytest.raises(Refused):
            ticket.proof_holds(with_digests(changed), code, keys.current_public())


def test_the_script_runs_by_itself_and_offline(contest: Contest, tmp_path: Path) -> None:
    ((_, code),) = sold(contest, 1)
    factories.contest_closed(contest)
    proof = tmp_path / "proof.json"
    proof.write_text(json.dumps(ticket_proof(presented_code=code)))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-S", str(FOLDER / "ticket.py"), *arguments],
            cwd=tmp_path,
            env={},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    done = run(str(proof), code.lower(), keys.current_public().hex())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("SEALED: ticket 1 of 1")
    done = run(
        str(proof), code[:-1] + ("1" if code[-1] == "0" else "0"), keys.current_public().hex()
    )
    assert done.returncode == 1 and done.stderr.startswith("REFUSED: proof.ticket, CODE")
    assert run(str(proof)).stderr.startswith("usage: ")


def test_the_proof_over_http_is_for_anybody_with_the_code(contest: Contest) -> None:
    ((_, code),) = sold(contest, 1)
    refused(Api().post("lototrot/proofs", {"code": code}), 409, "contest_not_sealed")
    refused(Api().get(f"lototrot/contests/{contest.pk}/seal"), 409, "contest_not_sealed")
    factories.contest_closed(contest)
    answer = Api().post("lototrot/proofs", {"code": code})
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.json() == ticket_proof(presented_code=code)
    ticket.proof_holds(answer.json(), code, keys.current_public())
    refused(Api().post("lototrot/proofs", {"code": "x"}), 422, "code_malformed")
    seal = Api().get(f"lototrot/contests/{contest.pk}/seal").json()
    assert seal == {"seal": answer.json()["seal"], "amendments": []}


def test_a_ticket_annulled_before_closing_is_not_sealed(contest: Contest) -> None:
    (_, _), (annulled, code) = sold(contest, 2)
    Void.objects.create(
        ticket=annulled,
        reason=Void.Reason.ERROR,
        voided_at=annulled.sold_at,
        operator_id=annulled.operator_id,
    )
    factories.contest_closed(contest)
    assert contest.seal.tickets == 1
    with pytest.raises(TicketNotSealed):
        ticket_proof(presented_code=code)


def test_the_whole_log_is_checked_entry_by_entry(contest: Contest) -> None:
    factories.contest_closed(contest)
    log = [each.published() for each in LogEntry.objects.order_by("sequence")]
    key = keys.current_public()
    assert public_log.log_holds(log, [key]).startswith("WHOLE: 3 entries")
    for where, changed in tamper.changes(log):
        if where and changed != log[: len(changed or ())]:
            with pytest.raises(Refused, match=r"^entry \d+"):
                public_log.log_holds(changed, [key])
    with pytest.raises(Refused, match="no signature confirms"):
        public_log.log_holds(log, [bytes(32)])


def test_a_proof_of_another_seal_or_without_its_void_is_told_by_the_log(
    contest: Contest, tmp_path: Path
) -> None:
    """The operator could sign a seal for one holder, and publish another one."""
    every = sold(contest, 3)
    factories.contest_closed(contest)
    code = every[1][1]
    proof = ticket_proof(presented_code=code)
    seal = proof["seal"]
    alone = tickets_of(code, proof, seal)
    place = every[0][0].premises
    for period in place.authorisations.all():
        factories.ended(period, period.valid_from)
    factories.started(factories.races_of(contest)[0])
    first, second = factories.two_organisers()
    two_persons.confirm(proposal=breach_void(by=first, contest_id=contest.pk).uuid, by=second)
    log = written(tmp_path, "log.jsonl", published_log())

    def check(of: dict[str, Any], *more: str) -> str:
        answer: str = ticket.check(written(tmp_path, "proof.json", of), code, public_key(), *more)
        return answer

    voided = ticket_proof(presented_code=code)
    assert check(voided, log).endswith("The public log has this seal, and no other void of it.")
    for lie, named in ((proof, "amendments"), (alone, "seal")):
        assert check(lie).startswith("SEALED: ")
        with pytest.raises(Refused, match=rf"^proof\.{named}: "):
            check(lie, log)


def tickets_of(code: str, proof: dict[str, Any], seal: dict[str, Any]) -> dict[str, Any]:
    """Return a proof by a seal of that ticket alone, as its operator would sign it."""
    leaf = ticket.leaf(proof["ticket"], code, bytes.fromhex(proof["blind"]))
    root = hashlib.sha256(b"\0" + leaf).hexdigest()
    alone = {"tickets": 1, "bets": 1, "takings_cents": proof["ticket"]["amount_cents"]}
    other = signed(seal, root=root, **alone)
    bare = {name: value for name, value in proof.items() if name != "digests"}
    return with_digests(bare | {"seal": other, "place": 0, "path": []})
