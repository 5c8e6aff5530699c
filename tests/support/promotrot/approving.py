"""Approve games of Promotrot through the API, by two persons."""

from typing import Any

from tests.support.api import Api

HOME = "promotrot"


def done(response: Any, status: int = 200) -> Any:
    assert response.status_code == status, response.content
    return response.json()


def both(one: Api, other: Api, path: str, body: Any = None) -> None:
    proposal = done(one.post(path, body), 201)["proposal"]
    done(other.post(f"proposals/{proposal}/confirmation"))


def approved(one: Api, other: Api, definition: dict[str, Any]) -> str:
    answer = done(one.post(f"{HOME}/games", {"definition": definition}), 201)
    version = f"{HOME}/games/{answer['game']}/versions/{answer['version']}"
    assert done(one.get(f"{version}/check"))["faults"] == []
    both(one, other, f"{version}/approval")
    assert done(one.get(version))["approval"]["percentages"]["worst"] == 70
    return str(answer["game"])
