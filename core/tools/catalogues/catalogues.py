"""Extract, merge, check and compile the message catalogues with Babel, without the gettext tools.

Each top-level package of the project (`core`, `lototrot`, `promotrot`) has one catalogue for each
language, `<package>/locale/<language>/LC_MESSAGES/django.po`. The compiled `.mo` files are never
committed: each machine compiles them.
"""

import ast
import os
import re
import string
import tempfile
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir, extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from core.kernel.languages import LANGUAGES

SOURCE_LANGUAGE: Final = "en"

_PLAIN: Final = dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"))
_KEYWORDS: Final[Mapping[str, Any]] = _PLAIN | {
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "ngettext_noop": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
GETTEXTS: Final = frozenset(_KEYWORDS) - {"_"}
"""The functions whose texts are collected, also under the name `_`, and under no other."""
# Without the space flag of "% d": a percentage in a sentence is not a placeholder.
_PERCENT: Final = re.compile(
    r"%(?:\((?P<name>\w+)\))?[-#0+]*\d*(?:\.\d+)?(?P<kind>[diouxXeEfFgGcrs%])"
)
# What stands in every file of which `_extract_python` takes something.
_MAY_SPEAK: Final = re.compile(rb"gettext|\b_\s*\(|\bmessage\b")
_COMPILED_ON: Final = datetime(2000, 1, 1, tzinfo=UTC)  # equal catalogues, equal files


def packages(root: Path) -> list[Path]:
    """Return the top-level packages of the project in `root`."""
    return sorted(path.parent for path in root.glob("*/__init__.py"))


def po_path(package: Path, language: str) -> Path:
    return package / "locale" / language / "LC_MESSAGES" / "django.po"


def extract(package: Path) -> Catalog:
    """Return every message in the Python files and the templates of `package`."""
    template = Catalog()
    for filename, _line, message, _comments, context in extract_from_dir(
        package,
        method_map=[
            ("**/migrations/**", "ignore"),
            ("**.py", _extract_python),  # type: ignore[list-item]  # a callable will do
            ("**/templates/**", _extract_template),  # type: ignore[list-item]
        ],
        keywords=_KEYWORDS,
    ):
        # Without line numbers: they would change the catalogues with every edit of the code.
        place = (filename.replace(os.sep, "/"), 0)
        template.add(message, None, [place], context=context)
    return template


def make(root: Path, *, prune: bool = False) -> list[Path]:
    """Bring the catalogues up to date with the code. Return those that changed.

    Translations are kept. An entry that is not used any more becomes a comment; with `prune` it is
    removed. In the source language every text is its own translation.
    """
    changed = []
    for package in packages(root):
        template = extract(package)
        for language in LANGUAGES:
            path = po_path(package, language)
            if not path.exists() and not len(template):
                continue
            catalog = _read(path, language) if path.exists() else Catalog(locale=language)
            catalog.update(template, no_fuzzy_matching=True)
            if language == SOURCE_LANGUAGE:
                _translate_to_itself(catalog)
            if _replace(path, _po_bytes(catalog, prune=prune)):
                changed.append(path)
    return changed


def check(root: Path) -> list[str]:
    """Return a sentence for each fault of the catalogues. There is none when every text is
    translated.
    """
    problems = []
    translations: dict[tuple[Any, ...], Any] = {}
    for package in packages(root):
        template = extract(package)
        for language in LANGUAGES:
            path = po_path(package, language)
            if path.exists():
                catalog = _read(path, language)
                faults = [*_check_catalog(catalog, template), *_check_same(catalog, translations)]
            else:
                faults = ["no catalogue"] if len(template) else []
            problems += [f"{path.relative_to(root)}: {problem}" for problem in faults]
    return problems


def compile_all(root: Path) -> list[Path]:
    """Write the `.mo` file of every catalogue. Return those that changed."""
    changed = []
    for package in packages(root):
        for path in sorted((package / "locale").glob("*/LC_MESSAGES/django.po")):
            catalog = _read(path, path.parent.parent.name)
            catalog.creation_date = _COMPILED_ON
            out = BytesIO()
            write_mo(out, catalog)
            target = path.with_suffix(".mo")
            if _replace(target, out.getvalue()):
                changed.append(target)
    return changed


def placeholders(text: str) -> frozenset[str]:
    """Return the placeholders `%s`, `%(name)s` and `{name}` that a translation must contain."""
    names = {
        match["name"] or f"%{match['kind']}"
        for match in _PERCENT.finditer(text)
        if match["kind"] != "%"
    }
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(text)]
    except ValueError:  # a lone brace: the text is not meant for str.format
        fields = []
    return frozenset(names | {f"{{{field}}}" for field in fields if field is not None})


def _extract_python(
    fileobj: IO[bytes], keywords: Any, comment_tags: Collection[str], options: Any
) -> Iterator[Any]:
    """Yield the messages in calls of gettext, and the `message` of every class that has a `code`.

    Such classes are errors, which are shown to people. The syntax tree is read instead of tokens:
    in tokens the inside of an f-string appears only from Python 3.12 on, and the catalogues would
    depend on the version.
    """
    source = fileobj.read()
    for node in ast.walk(ast.parse(source)) if _MAY_SPEAK.search(source) else ():
        if isinstance(node, ast.ClassDef):
            constants = _constants(node)
            if constants.keys() >= {"code", "message"}:
                yield node.lineno, "gettext", [constants["message"]], []
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            if name in keywords:
                texts = [getattr(argument, "value", None) for argument in node.args]
                yield node.lineno, name, [t if isinstance(t, str) else None for t in texts], []


def _constants(of: ast.ClassDef) -> dict[str, Any]:
    """Return the constants that stand in the body of a class, by name."""
    return {
        statement.targets[0].id: statement.value.value
        for statement in of.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and isinstance(statement.value, ast.Constant)
    }


def _extract_template(
    fileobj: IO[bytes], keywords: Any, comment_tags: Collection[str], options: Any
) -> Iterator[Any]:
    """Yield the messages of a template: Django turns it into calls of gettext, Babel reads
    those.
    """
    calls = templatize(fileobj.read().decode("utf-8"), origin=str(fileobj.name))
    # Parentheses free the result from the rules of indentation.
    yield from extract_python(BytesIO(f"(\n{calls}\n)\n".encode()), keywords, comment_tags, options)


def _read(path: Path, language: str) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def _po_bytes(catalog: Catalog, *, prune: bool) -> bytes:
    # Babel's header has dates and versions, which would change in every diff.
    header = (
        'msgid ""\n'
        'msgstr ""\n'
        f'"Language: {catalog.locale_identifier}\\n"\n'
        '"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        '"Content-Transfer-Encoding: 8bit\\n"\n'
        f'"Plural-Forms: {catalog.plural_forms}\\n"\n\n'
    )
    out = BytesIO()
    write_po(
        out,
        catalog,
        width=100,
        omit_header=True,
        sort_output=True,
        include_lineno=False,
        ignore_obsolete=prune,
    )
    return header.encode() + out.getvalue().rstrip(b"\n") + b"\n"


def _translate_to_itself(catalog: Catalog) -> None:
    for message in catalog:
        if message.id and not any(_forms(message.string)):
            message.string = message.id


def _check_catalog(catalog: Catalog, template: Catalog) -> Iterator[str]:
    for used in template:
        message = catalog.get(used.id, used.context) if used.id else None
        if used.id and (message is None or not all(_forms(message.string))):
            yield f"no translation of {used.id!r}"
    for message in catalog:
        if message.id:
            if template.get(message.id, message.context) is None:
                yield f"obsolete {message.id!r}"
            yield from _check_message(message, catalog.num_plurals)
    for message in catalog.obsolete.values():
        yield f"obsolete {message.id!r}"


def _check_same(catalog: Catalog, translations: dict[tuple[Any, ...], Any]) -> Iterator[str]:
    """Return a fault for each text with two translations: Django merges all catalogues into one.

    A text that needs two translations needs a context.
    """
    for message in catalog:
        key = (catalog.locale_identifier, message.id, message.context)
        if message.id and translations.setdefault(key, message.string) != message.string:
            yield f"another package translates {message.id!r} otherwise"


def _check_message(message: Message, num_plurals: int) -> Iterator[str]:
    ids, forms = _forms(message.id), _forms(message.string)
    if message.fuzzy:
        yield f"fuzzy {message.id!r}"
    if message.pluralizable and len(forms) != num_plurals:
        yield f"{len(forms)} plural forms, not {num_plurals}, of {message.id!r}"
    required, allowed = placeholders(ids[-1]), placeholders(" ".join(ids))
    for at, form in enumerate(forms):
        used = placeholders(form)
        # The form for one may spell the number out.
        right = used <= allowed if message.pluralizable and at == 0 else used == required
        if form and not right:
            yield f"other placeholders in {form!r}"
        if form and form == 2 * form[: len(form) // 2]:
            yield f"the same twice in {form!r}"


def _forms(text: Any) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ("",))


def _replace(path: Path, content: bytes) -> bool:
    """Write `content` in one step. Return False if the file has that content already."""
    if path.exists() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)
    return True
