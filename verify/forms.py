"""Check that a document has its form and its fields have possible values, or name the field."""

import re
from bisect import bisect_left
from collections.abc import Callable
from datetime import date, datetime
from typing import Any


class Refused(Exception):
    """The input is refused. The text names the field and the reason."""


def need(holds: Any, field: str, why: str) -> None:
    if not holds:
        raise Refused(f"{field}: {why}")


def shaped(value: Any, form: Any, place: str) -> None:
    """Refuse a value that lacks its form (documents.py): no field missing, none added."""
    if isinstance(form, tuple):
        one_of(value, form, place)
    elif isinstance(form, list):
        need(type(value) is list, place, "not a list")
        for number, each in enumerate(value):
            if not (callable(form[0]) and form[0](each)):  # most are right, and need no place
                shaped(each, form[0], f"{place}[{number}]")
    elif isinstance(form, dict):
        object_shaped(value, form, place)
    elif callable(form):
        need(form(value), place, f"not {form.__doc__}")
    else:
        need(value == form, place, f"not {form}")


def object_shaped(value: Any, form: dict[Any, Any], place: str) -> None:
    need(type(value) is dict, place, "not an object")
    if callable(named := next(iter(form))):
        form = {name: form[named] for name in value if named(name)}
    if value.keys() != form.keys():
        name = min(value.keys() ^ form.keys())
        raise Refused(f"{place}.{name}: missing, or not known")
    for name, each in form.items():
        if not (callable(each) and each(value[name])):
            shaped(value[name], each, f"{place}.{name}")


def one_of(value: Any, forms: tuple[Any, ...], place: str) -> None:
    for form in forms[:-1]:
        try:
            shaped(value, form, place)
        except Refused:
            continue
        return
    shaped(value, forms[-1], place)


def text(value: Any) -> bool:
    """a text"""
    return type(value) is str


def words(value: Any) -> bool:
    """given"""
    return text(value) and bool(value.strip())


def whole(value: Any) -> bool:
    """a whole number, 0 or more"""
    return type(value) is int and 0 <= value < 2**63


def truth(value: Any) -> bool:
    """true or false"""
    return type(value) is bool


def rational(value: Any) -> bool:
    """a number, or a text such as 12.5 or 7/3"""
    return whole(value) or bool(matches(value, r"\d{1,99}(\.\d{1,99}|/[1-9]\d{0,99})?"))


def category(value: Any) -> bool:
    """a number in digits"""
    return bool(matches(value, r"[1-9]\d?"))


def share_name(value: Any) -> bool:
    """a category, or reserve"""
    return value == "reserve" or category(value)


def day(value: Any) -> bool:
    """a day that there is, YYYY-MM-DD"""
    return bool(matches(value, r"\d{4}-\d\d-\d\d")) and exists(date.fromisoformat, value)


def instant(value: Any) -> bool:
    """an instant in UTC, to the microsecond"""
    good = matches(value, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
    return bool(good) and exists(datetime.fromisoformat, value)


def sha256(value: Any) -> bool:
    """32 bytes in lower-case hexadecimal"""
    return bool(matches(value, "[0-9a-f]{64}"))


def key_name(value: Any) -> bool:
    """8 bytes in lower-case hexadecimal"""
    return bool(matches(value, "[0-9a-f]{16}"))


def blind(value: Any) -> bool:
    """16 bytes in lower-case hexadecimal"""
    return bool(matches(value, "[0-9a-f]{32}"))


def signature(value: Any) -> bool:
    """64 bytes in lower-case hexadecimal"""
    return bool(matches(value, "[0-9a-f]{128}"))


def journal_entries(value: Any) -> bool:
    """entries of 48 bytes in lower-case hexadecimal"""
    return bool(matches(value, "([0-9a-f]{96})+"))


def matches(value: Any, pattern: str) -> Any:
    return text(value) and re.fullmatch(pattern, value, re.ASCII)


def exists(read: Callable[[str], Any], value: str) -> bool:
    try:
        return bool(read(value))
    except ValueError:
        return False


def anything(value: Any) -> bool:
    """an object"""
    return type(value) is dict


def in_turn(instants: list[str]) -> list[bool]:
    """Return of each instant whether it is of the longest run that never goes back, of two the one
    that is first. The others were dated back, or are of a clock that was wrong."""
    begins, places, after = list[str](), list[int](), dict[int, int]()
    for place, instant in reversed([*enumerate(instants)]):
        length = bisect_left(begins, True, key=instant.__gt__)
        after[place] = places[length - 1] if length else -1
        begins[length : length + 1], places[length : length + 1] = [instant], [place]
    run, place = set[int](), places[-1] if places else -1
    while place >= 0:
        run.add(place)
        place = after[place]
    return [place in run for place in range(len(instants))]
