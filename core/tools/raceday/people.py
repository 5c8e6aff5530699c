"""Enter the people and places of the demonstration through the API, as an organiser."""

import json
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.tools.embedded.server import ROOT
from core.tools.raceday.api import PREFIX, Api
from core.tools.raceday.key import TerminalKey

_random = secrets.SystemRandom()

ADMINISTRATORS = {"admin": "Administració", "admin2": "Administració, segona persona"}
STAFF = {
    "org1": ("Antònia Ferrer", "organiser"),
    "org2": ("Bartomeu Oliver", "organiser"),
    "com1": ("Catalina Pons", "stewards"),
    "com2": ("Damià Ramis", "stewards"),
    "int1": ("Elionor Serra", "inspector"),
    "aud1": ("Felip Torres", "auditor"),
    "caj1": ("Gabriel Vidal", "cashier"),
    "sup1": ("Helena Mas", "supervisor"),
}
MUNICIPALITIES = ("Palma", "Manacor", "Inca", "Maó", "Eivissa", "Felanitx", "Ciutadella", "Sóller")
PREMISES = 24
TERMINALS_EACH = 2
OPERATOR = 1
"""The one operator of each premises, signed on at both terminals."""
LIMIT_CENTS = 500_000_00
"""The guarantee of each premises. A day is sold in a minute: it is the cap of a minute too."""
AT_ONCE = 4
"""Premises that are registered at the same time."""


class Sellers(NamedTuple):
    """The terminals, and the PIN that all their operators have."""

    terminals: "list[Seller]"
    pin: str


@dataclass(slots=True)
class Staff:
    """The staff by username, with what they need to sign on. Sessions are renewed when they end."""

    api: Api
    by_name: dict[str, Api] = field(default_factory=dict)
    passwords: dict[str, str] = field(default_factory=dict)
    devices: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, username: str) -> Api:
        return self.by_name[username]

    def enter(self, username: str, password: str) -> None:
        """Sign a new member on for the first time: set their own password and second factor.

        `password` is the one that they were given.
        """
        first, own = self.api.staff(username, password), secrets.token_urlsafe(12)
        first.post("staff/password", {"current": password, "new": own})
        self.passwords[username], self.devices[username] = own, first.second_factor()

        def sign_on() -> dict[str, str]:
            return self.api.twin().staff(username, own, self.devices[username]).headers

        self.by_name[username] = Api(
            self.api.base_url, first.headers, sign_on, sales_url=self.api.sales_url
        )


@dataclass(slots=True)
class Machine:
    """An enrolled terminal: the key that it made, and its present token."""

    base_url: str
    key: TerminalKey
    token: str

    @classmethod
    def enrol(cls, base_url: str, code: str) -> "Machine":
        """Make a key and enrol with a one-time code."""
        key = TerminalKey()
        body = {"enrolment_code": code, "public_key": key.public}
        return cls(base_url, key, str(Api(base_url).post("terminal/enrolment", body)["token"]))

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Terminal {self.token}"}

    def sign_on(self, operator: int, pin: str) -> str:
        """Sign an operator on; return the token of the session."""
        session = self._proven("terminal/session", {"number": operator, "pin": pin})
        self.token = str(session["terminal_token"])
        return str(session["token"])

    def pin_choose(self, operator: int, *, first_pin: str, pin: str) -> None:
        """Choose an operator's own PIN."""
        self._proven("terminal/pin", {"number": operator, "pin": first_pin, "new_pin": pin})

    def _proven(self, path: str, body: Any) -> Any:
        """Return the answer to a POST that the key signs."""
        content = json.dumps(body).encode()
        proof = self.key.prove(PREFIX + path, self.token, content)
        headers = {"Content-Type": "application/json", **proof}
        answer = Api(self.base_url, self.headers).raw("POST", path, content, headers)
        return json.loads(answer) if answer else None


@dataclass(slots=True)
class Seller:
    """An enrolled terminal with its operator, who signs on again when the session ends."""

    premises: str
    terminal: str
    operator: int
    api: Api
    machine: Machine | None = None

    @classmethod
    def enrol(
        cls,
        base_url: str,
        premises: str,
        terminal: str,
        operator: int,
        *,
        code: str,
        pin: str,
        first_pin: str = "",
    ) -> "Seller":
        """Enrol the terminal with its one-time code, and sign the operator on.

        An operator who has `first_pin` from the organiser chooses `pin` first.
        """
        machine = Machine.enrol(base_url, code)
        if first_pin:
            machine.pin_choose(operator, first_pin=first_pin, pin=pin)

        def sign_on() -> dict[str, str]:
            session = machine.sign_on(operator, pin)
            return machine.headers | {"X-Operator-Session": session}

        api = Api(base_url, sign_on(), sign_on)
        return cls(premises, terminal, operator, api, machine)

    def pin_choose(self, operator: int, *, first_pin: str, pin: str) -> None:
        """Choose another operator's own PIN at this terminal."""
        need_machine(self).pin_choose(operator, first_pin=first_pin, pin=pin)

    def beside(self, operator: int, *, pin: str) -> str:
        """Sign another operator on beside the present one; return the token of that session."""
        machine = need_machine(self)
        session = machine.sign_on(operator, pin)
        self.api.headers.update(machine.headers)
        return session


def need_machine(seller: Seller) -> Machine:
    """Return the terminal of a seller. Raises LookupError for one that did not enrol here."""
    if seller.machine is None:
        raise LookupError(f"{seller.terminal} did not enrol here")
    return seller.machine


def administrators_enter(staff: Staff, environment: Mapping[str, str]) -> None:
    """Open the first two accounts on the server's console, and sign both people on.

    Both commands run at once. People sign on one after the other: of strangers at one address the
    server checks few passwords at once.
    """
    passwords = {username: secrets.token_urlsafe(12) for username in ADMINISTRATORS}

    def account_open(username: str) -> None:
        name = ADMINISTRATORS[username]
        command = ["staff_create", username, "--full-name", name, "--role", "administrator"]
        subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=dict(environment),
            input=passwords[username],
            text=True,
            check=True,
            capture_output=True,
        )

    with ThreadPoolExecutor(len(ADMINISTRATORS)) as pool:
        list(pool.map(account_open, ADMINISTRATORS))
    for username, password in passwords.items():
        staff.enter(username, password)


def staff_open(staff: Staff, usernames: Iterable[str]) -> None:
    """Open the accounts of `STAFF` by two administrators, and sign each person on."""
    first, second = (staff[administrator] for administrator in ADMINISTRATORS)
    for username in usernames:
        full_name, role = STAFF[username]
        password = secrets.token_urlsafe(12)
        proposed = first.post(
            "staff",
            {
                "username": username,
                "full_name": full_name,
                "password": password,
                "roles": [role],
                "appointment": "Resolució DGJ 7/2027" if role == "inspector" else "",
            },
        )
        second.post(f"proposals/{proposed['proposal']}/confirmation")
        staff.enter(username, password)


def sellers_open(
    organiser: Api, second: Api, since: str, progress: Callable[[str], None]
) -> Sellers:
    """Open all premises and terminals, enrol these, and sign their operators on.

    The second organiser confirms what takes two persons.
    """
    pin = pin_make()
    premises_open(organiser, second, range(1, PREMISES + 1), since)
    # The first alone: it renews the organiser's session, which the others then use.
    sellers = terminals_enrol(organiser, second, 1, pin)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        others = pool.map(
            lambda number: terminals_enrol(organiser.twin(), second.twin(), number, pin),
            range(2, PREMISES + 1),
        )
        for number, of_premises in enumerate(others, start=2):
            sellers += of_premises
            if number % 6 == 0:
                progress(f"{len(sellers)} of {PREMISES * TERMINALS_EACH} terminals are ready")
    return Sellers(sellers, pin)


def pin_make(*, other_than: str = "") -> str:
    """Return a random PIN of 6 digits that operators may have: each of three digits stands twice.

    So it is no sequence, nor one digit. An operator's own PIN is an `other_than` the given one.
    """
    while (pin := "".join(2 * digit for digit in _random.sample("0123456789", 3))) == other_than:
        pass
    return pin


def premises_open(first: Api, second: Api, numbers: Iterable[int], since: str) -> None:
    """Open premises by one proposal, each authorised for both games and with its terminals."""
    lists: dict[str, list[dict[str, str]]] = {"premises": [], "authorisations": [], "terminals": []}
    for number in numbers:
        code, at_racecourse = f"P-{number:04}", number == 1
        lists["premises"].append(
            {
                "code": code,
                "name": "Hipòdrom Son Pardo, punt exterior" if at_racecourse else f"Bar {number}",
                "kind": "racecourse_point" if at_racecourse else "establishment",
                "address": f"Carrer Major {number}",
                "municipality": MUNICIPALITIES[number % len(MUNICIPALITIES)],
            }
        )
        for game in ("lototrot", "promotrot"):
            period = {"game": game, "valid_from": since, "reference": f"DGJ {number}/2027"}
            lists["authorisations"].append({"premises": code, **period})
        for place in range(1, TERMINALS_EACH + 1):
            lists["terminals"].append({"premises": code, "code": f"T-{number:04}-{place}"})
    opened(first, second, lists)


def opened(first: Api, second: Api, lists: Mapping[str, Any]) -> None:
    """Open premises, authorisations and terminals by two organisers."""
    proposed = first.post("premises", lists)
    second.post(f"proposals/{proposed['proposal']}/confirmation")


def terminals_enrol(organiser: Api, second: Api, number: int, pin: str) -> list[Seller]:
    """Set the limit of premises, register their operator, and enrol their terminals."""
    code = f"P-{number:04}"
    limit: dict[str, Any] = {"limit_cents": LIMIT_CENTS, "minute_cap_cents": LIMIT_CENTS}
    limit["reference"] = f"Aval {number}"
    proposed = organiser.post(f"premises/{code}/guarantee-limits", limit)
    second.post(f"proposals/{proposed['proposal']}/confirmation")
    first_pin = pin_make(other_than=pin)
    person = {"number": OPERATOR, "name": "Torn de dia", "pin": first_pin}
    organiser.post(f"premises/{code}/operators", person)
    sellers: list[Seller] = []
    for place in range(1, TERMINALS_EACH + 1):
        terminal = f"T-{number:04}-{place}"
        sellers.append(
            Seller.enrol(
                organiser.sales_url,
                code,
                terminal,
                OPERATOR,
                code=enrolment_code(organiser, terminal),
                pin=pin,
                first_pin="" if sellers else first_pin,
            )
        )
    return sellers


def enrolment_code(organiser: Api, terminal: str) -> str:
    """Return the code of a terminal that two persons opened; it is good for one use."""
    return str(organiser.post(f"terminals/{terminal}/enrolment-code")["enrolment_code"])
