"""Format money, dates and times for readers of Catalan, Spanish and English."""

from datetime import date, datetime
from typing import Final

from core.kernel.days import MADRID

# Spelled out, because an English reader cannot tell 3/4 from 4/3.
_MONTHS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)


def format_cents(cents: int, language: str) -> str:
    """Return an amount in euros: "1.234,50 €" in Catalan and Spanish, "€1,234.50" in English."""
    euros, rest = divmod(abs(cents), 100)
    sign = "-" if cents < 0 else ""
    amount = f"{euros:,}.{rest:02}"
    if _is_english(language):
        return f"{sign}€{amount}"
    return f"{sign}{amount.translate(str.maketrans(',.', '.,'))} €"


def format_count(number: int, language: str) -> str:
    """Return a number with its thousands apart: "100.000", in English "100,000"."""
    written = f"{number:,}"
    return written if _is_english(language) else written.replace(",", ".")


def format_percent(percent: str, language: str) -> str:
    """Return a percentage, given as decimal text: "72,5 %", in English "72.5 %"."""
    return f"{percent if _is_english(language) else percent.replace('.', ',')} %"


def format_date(day: date, language: str) -> str:
    """Return a natural day: "20/11/2026", in English "20 Nov 2026"."""
    if isinstance(day, datetime):
        raise TypeError("a moment has no day without its time zone: use format_moment")
    if _is_english(language):
        return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
    return f"{day:%d/%m/%Y}"


def format_time(moment: datetime, language: str) -> str:
    """Return the time of day in Madrid, to the second: "18:03:22".

    In the hour that the clocks go through twice the zone follows: "02:30:00 CEST".
    """
    _is_english(language)
    local = _local(moment)
    twice = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
    return f"{local:%H:%M:%S %Z}" if twice else f"{local:%H:%M:%S}"


def format_moment(moment: datetime, language: str) -> str:
    """Return day and time in Madrid, to the second: "20/11/2026 18:03:22"."""
    return f"{format_date(_local(moment).date(), language)} {format_time(moment, language)}"


def format_scheduled(moment: datetime, language: str, of: date) -> str:
    """Return a time that was set, for something of the day `of`: "17:30".

    Another day is named before it: "20/11/2026, 17:30". Seconds stand only where there are any.
    """
    local = _local(moment)
    time = format_time(moment, language)
    if not local.second:
        time = time.replace(f"{local:%H:%M:%S}", f"{local:%H:%M}")
    return time if local.date() == of else f"{format_date(local.date(), language)}, {time}"


def _local(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a moment without a time zone cannot be shown")
    return moment.astimezone(MADRID)


def _is_english(language: str) -> bool:
    match language.partition("-")[0]:
        case "en":
            return True
        case "ca" | "es":
            return False
        case _:
            raise ValueError(f"no formats for language {language!r}")
