"""The people and places of the demonstration, entered through the API as an organiser would."""

import secrets
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from core.tools.embedded.server import ROOT
from core.tools.raceday.api import Api

ADMINISTRATOR = "admin"
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


@dataclass(frozen=True, slots=True)
class Staff:
    """Those signed on, and with what anyone may sign on while the system is up."""

    by_name: Mapping[str, Api]
    passwords: Mapping[str, str]
    devices: Mapping[str, str]

    def __getitem__(self, username: str) -> Api:
        return self.by_name[username]

    def again(self) -> "Staff":
        """The same people signed on anew: after the clock has jumped, sessions are over."""
        api = Api(self.by_name[ADMINISTRATOR].base_url)
        signed_on = {
            name: api.staff(name, word, self.devices[name]) for name, word in self.passwords.items()
        }
        return Staff(signed_on, self.passwords, self.devices)


@dataclass(slots=True)
class Seller:
    """An enrolled terminal with its operator signed on."""

    premises: str
    terminal: str
    operator: int
    token: str
    api: Api

    def sign_on(self, pin: str) -> None:
        """Sign the operator on, anew where a session has ended."""
        known = {"Authorization": f"Terminal {self.token}"}
        body = {"number": self.operator, "pin": pin}
        session = Api(self.api.base_url, known).post("terminal/session", body)
        self.api = Api(self.api.base_url, {**known, "X-Operator-Session": session["token"]})


def administrator_create(environment: Mapping[str, str]) -> str:
    """Open the first account on the server's console; its password."""
    password = secrets.token_urlsafe(12)
    subprocess.run(
        [
            sys.executable,
            "manage.py",
            "staff_create",
            ADMINISTRATOR,
            "--full-name",
            "Administració",
            "--role",
            "administrator",
        ],
        cwd=ROOT,
        env=dict(environment),
        input=password,
        text=True,
        check=True,
        capture_output=True,
    )
    return password


def staff_open(api: Api, administrator_password: str) -> Staff:
    """Open the accounts of the day and sign everybody on."""
    admin = api.staff(ADMINISTRATOR, administrator_password)
    devices = {ADMINISTRATOR: admin.second_factor()}
    signed_on = {ADMINISTRATOR: admin}
    passwords = {ADMINISTRATOR: administrator_password}
    for username, (full_name, role) in STAFF.items():
        passwords[username] = secrets.token_urlsafe(12)
        appointment = "Resolució DGJ 7/2027" if role == "inspector" else ""
        admin.post(
            "staff",
            {
                "username": username,
                "full_name": full_name,
                "password": passwords[username],
                "roles": [role],
                "appointment": appointment,
            },
        )
        signed_on[username] = api.staff(username, passwords[username])
        devices[username] = signed_on[username].second_factor()
    return Staff(signed_on, passwords, devices)


def sellers_open(api: Api, organiser: Api, since: str) -> tuple[list[Seller], str]:
    """Register premises and terminals, enrol them, sign their operators on; and the PIN."""
    pin = "".join(secrets.choice("13579") + secrets.choice("02468") for _ in range(3))
    sellers = []
    for number in range(1, PREMISES + 1):
        premises = f"P-{number:04}"
        _premises_register(organiser, number, premises, since, pin)
        for place in range(1, TERMINALS_EACH + 1):
            terminal = f"T-{number:04}-{place}"
            sellers.append(_seller(api, organiser, premises, terminal, place, pin))
    return sellers, pin


def _premises_register(organiser: Api, number: int, code: str, since: str, pin: str) -> None:
    at_racecourse = number == 1
    organiser.post(
        "premises",
        {
            "code": code,
            "name": "Hipòdrom Son Pardo, punt exterior" if at_racecourse else f"Bar {number}",
            "kind": "racecourse_point" if at_racecourse else "establishment",
            "address": f"Carrer Major {number}",
            "municipality": MUNICIPALITIES[number % len(MUNICIPALITIES)],
        },
    )
    for game in ("lototrot", "promotrot"):
        organiser.post(
            f"premises/{code}/authorisations",
            {"game": game, "valid_from": since, "reference": f"DGJ {number}/2027"},
        )
    for place in range(1, TERMINALS_EACH + 1):
        organiser.post(
            f"premises/{code}/operators", {"number": place, "name": f"Torn {place}", "pin": pin}
        )


def terminal_register(organiser: Api, premises: str, terminal: str) -> str:
    """Register a terminal; its enrolment code, which is good for one use."""
    issued = organiser.post(f"premises/{premises}/terminals", {"code": terminal})
    return str(issued["enrolment_code"])


def _seller(
    api: Api, organiser: Api, premises: str, terminal: str, operator: int, pin: str
) -> Seller:
    code = terminal_register(organiser, premises, terminal)
    enrolled = api.post("terminal/enrolment", {"enrolment_code": code})
    seller = Seller(premises, terminal, operator, enrolled["token"], api)
    seller.sign_on(pin)
    return seller
