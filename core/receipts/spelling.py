"""Spell amounts of euros in words, as cheques state them in Spain, in Catalan, Spanish and English.

Euros and cents are masculine: `un`, `vint-i-un`, `veintiún`, also before thousands.
"""

from dataclasses import dataclass
from typing import Final

_MILLION: Final = 10**6
_MOST_CENTS: Final = 100 * 10**12


@dataclass(frozen=True, slots=True)
class _Spelling:
    """The words of a language: its first numbers, and those that they are put together from.

    `joint` stands between tens and units, `link` before what is left of a hundred, `cents_link`
    between euros and cents, and `of` before euros after whole millions.
    """

    first: tuple[str, ...]
    tens: tuple[str, ...]
    hundreds: tuple[str, ...]
    joint: str
    thousand: str
    millions: tuple[str, str]
    cents: tuple[str, str]
    cents_link: str
    of: str = " "
    link: str = " "
    one_thousand: str = "mil"
    hundred: str = ""

    def number(self, number: int) -> str:
        """Return a number from 0 on, less than a million millions."""
        if number < len(self.first):
            return self.first[number]
        if number < 100:
            tens, rest = divmod(number, 10)
            return self.tens[tens - 2] + (self.joint + self.first[rest] if rest else "")
        if number < 1000:
            hundreds, rest = divmod(number, 100)
            if number == 100 and self.hundred:
                return self.hundred
            return self.hundreds[hundreds - 1] + (self.link + self.number(rest) if rest else "")
        size = _MILLION if number >= _MILLION else 1000
        many, rest = divmod(number, size)
        if size == _MILLION:
            head = f"{self.number(many)} {self.millions[many > 1]}"
        else:
            head = self.one_thousand if many == 1 else f"{self.number(many)} {self.thousand}"
        return head + ((self.link if rest < 100 else " ") + self.number(rest) if rest else "")

    def amount(self, cents: int) -> str:
        euros, rest = divmod(cents, 100)
        parts = []
        if euros:
            of = " " if euros % _MILLION else self.of
            parts.append(f"{self.number(euros)}{of}{'euro' if euros == 1 else 'euros'}")
        if rest:
            parts.append(f"{self.number(rest)} {self.cents[rest > 1]}")
        return self.cents_link.join(parts)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_CATALAN_UNITS: Final = _words("un dos tres quatre cinc sis set vuit nou")
_SPANISH: Final = _Spelling(
    first=(
        *_words("cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce"),
        *_words("quince dieciséis diecisiete dieciocho diecinueve veinte veintiún veintidós"),
        *_words("veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho"),
        "veintinueve",
    ),
    tens=_words("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa"),
    hundreds=(
        *_words("ciento doscientos trescientos cuatrocientos quinientos seiscientos"),
        *_words("setecientos ochocientos novecientos"),
    ),
    joint=" y ",
    thousand="mil",
    millions=("millón", "millones"),
    cents=("céntimo", "céntimos"),
    cents_link=" con ",
    of=" de ",
    hundred="cien",
)
_CATALAN: Final = _Spelling(
    first=(
        *("zero", *_CATALAN_UNITS),
        *_words("deu onze dotze tretze catorze quinze setze disset divuit dinou vint"),
        *(f"vint-i-{unit}" for unit in _CATALAN_UNITS),
    ),
    tens=_words("vint trenta quaranta cinquanta seixanta setanta vuitanta noranta"),
    hundreds=("cent", *(f"{unit}-cents" for unit in _CATALAN_UNITS[1:])),
    joint="-",
    thousand="mil",
    millions=("milió", "milions"),
    cents=("cèntim", "cèntims"),
    cents_link=" amb ",
    of=" d'",
)
_ENGLISH_UNITS: Final = _words("one two three four five six seven eight nine")
_ENGLISH: Final = _Spelling(
    first=(
        *("zero", *_ENGLISH_UNITS),
        *_words("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"),
        "nineteen",
    ),
    tens=_words("twenty thirty forty fifty sixty seventy eighty ninety"),
    hundreds=tuple(f"{unit} hundred" for unit in _ENGLISH_UNITS),
    joint="-",
    thousand="thousand",
    millions=("million", "million"),
    cents=("cent", "cents"),
    cents_link=" and ",
    link=" and ",
    one_thousand="one thousand",
)
_SPELLINGS: Final = {"ca": _CATALAN, "es": _SPANISH, "en": _ENGLISH}


def amount_in_words(cents: int, language: str) -> str:
    """Return an amount in words: "vint-i-un euros amb un cèntim".

    Raise ValueError unless it is more than nothing and less than a million millions.
    """
    if not 0 < cents < _MOST_CENTS:
        raise ValueError(f"{cents} cents are not spelled")
    return _SPELLINGS[language].amount(cents)
