"""Read a file of cases and answer each case."""

from collections.abc import Iterator

from core.kernel.canonical import Json
from core.kernel.documents import NotJson, loads
from core.kernel.errors import DomainError, Invalid
from core.tools.whatif.kinds import kinds


class FileMalformed(Invalid):
    """The file is no JSON, or has no list `cases`."""

    code = "file_malformed"
    message = "The file is not a JSON object with a list of cases."


class CaseMalformed(Invalid):
    """A case without the fields every case has."""

    code = "case_malformed"
    message = "A case is an object with id, kind and input."


class UnknownKind(Invalid):
    """No app answers cases of this kind."""

    code = "unknown_kind"
    message = "There is no such kind of case."


def read_cases(content: bytes) -> list[object]:
    """Return the cases of a file, unchecked. Raises FileMalformed.

    Numbers with decimals and integers of more than 30 digits stay text (`exact`). A case that
    expects an exact percentage reads them; any other case is refused by itself, and the file is
    not.
    """
    try:
        document = loads(content.decode("utf-8-sig"), exact=True)
    except UnicodeDecodeError as error:
        raise FileMalformed("The file is not UTF-8 text.") from error
    except NotJson as error:
        raise FileMalformed(f"The file is not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("cases"), list):
        raise FileMalformed
    cases: list[object] = document["cases"]
    return cases


def answers(cases: list[object]) -> Iterator[dict[str, Json]]:
    """Return one answer per case, in order: {id, output} or {id, error: {code, detail}}."""
    for case in cases:
        identity = case.get("id") if isinstance(case, dict) else None
        case_id = identity if isinstance(identity, str | int) else None
        try:
            yield {"id": case_id, "output": _output(case)}
        except DomainError as error:
            yield {"id": case_id, "error": {"code": error.code, "detail": error.detail}}


def _output(case: object) -> Json:
    if not isinstance(case, dict):
        raise CaseMalformed
    for key in ("id", "kind", "input"):
        if key not in case:
            raise CaseMalformed(f"The case has no {key}.", place=key)
    if not isinstance(case["id"], str | int) or not isinstance(case["kind"], str):
        raise CaseMalformed("The id is a text or an integer, the kind a text.")
    answer = kinds().get(case["kind"])
    if answer is None:
        raise UnknownKind(f"The kinds are {', '.join(sorted(kinds()))}.")
    return answer(case["input"])
