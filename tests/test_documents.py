"""The documents and the code name files, links and commands that exist."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("adr", "operations", "proofs", "threats")
INDEXED = ("operations", "proofs", "threats")
MOST_WORDS = 2_500
DOCUMENTS = sorted(
    path
    for folder in (".", ".github", "docs", *(f"docs/{name}" for name in FOLDERS))
    for path in (ROOT / folder).glob("*.md")
)
SOURCES = sorted(
    path
    for folder in ("core", "lototrot", "promotrot", "verify")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".sql", ".js", ".css")
)
_LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
_ANCHOR = re.compile(r"\]\((?!\w+:)([^)\s#]*)#([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_PATH = re.compile(r"`((?:core|lototrot|promotrot|verify|tests|docs|\.ci)/[\w./*-]*)`")
_TEST = re.compile(r"`(tests/[\w/]+\.py)`")
_FILE = re.compile(r"\b(?:core|lototrot|promotrot|verify|tests|docs)/[\w./-]+\.(?:py|sql|md)\b")
_CONTRIBUTION = re.compile(r'contribut\w+\(\s*"([\w.]+)",\s*"(\w+)"')
_ITALIC = re.compile(r"\*([^*]+)\*")
_ADR = r"\[ADR \d+\]\([\w-]+\.md\)"
_STATED = re.compile(
    rf"Status: (accepted(?:; changed in part by {_ADR}(?: and {_ADR})*)?|superseded by {_ADR})"
    r" · Date: (\d{4}-\d\d-\d\d)"
)
_CHECK = re.compile(r"^check:.*\n((?:\t.*\n)+)", re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_paths_exist(document: Path) -> None:
    text = document.read_text("utf-8")
    links = [link for link in _LINK.findall(text) if "://" not in link]
    missing = [link for link in links if not (document.parent / link).exists()]
    # docs/api.md has addresses of the API, which look like paths.
    paths = [] if document.name == "api.md" else [p.rstrip("/") for p in _PATH.findall(text)]
    missing += [path for path in paths if not any(ROOT.glob(path))]
    assert missing == []


def _anchors(document: Path) -> set[str]:
    """Return the names by which GitHub links to the headings of a document."""
    headings = _HEADING.findall(document.read_text("utf-8"))
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w -]", "", heading).strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_link_into_a_page_finds_its_heading(document: Path) -> None:
    for page, anchor in _ANCHOR.findall(document.read_text("utf-8")):
        target = document.parent / page if page else document
        assert anchor in _anchors(target), f"{page}#{anchor}"


@pytest.mark.parametrize("folder", INDEXED)
def test_each_page_of_a_folder_is_in_its_index_and_can_be_read_at_once(folder: str) -> None:
    index = (ROOT / "docs" / folder / "README.md").read_text("utf-8")
    pages = [path for path in DOCUMENTS if path.parent == ROOT / "docs" / folder]
    assert len(pages) > 9
    for page in pages:
        assert page.name == "README.md" or f"]({page.name})" in index, page.name
        words = [word for word in page.read_text("utf-8").split() if re.search(r"\w", word)]
        assert len(words) <= MOST_WORDS, (page.name, len(words))


def test_each_threat_names_a_test_that_exists() -> None:
    threats = 0
    for page in sorted((ROOT / "docs" / "threats").glob("*.md")):
        is_of_threats = False
        for line in page.read_text("utf-8").splitlines():
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if not cells or set(cells) == {"---"}:
                is_of_threats = is_of_threats and bool(cells)
            elif cells[-1] == "test":
                is_of_threats = True
            elif is_of_threats:
                tests = [name for name in _TEST.findall(cells[-1]) if (ROOT / name).is_file()]
                assert tests, (page.name, cells[0])
                threats += 1
    assert threats > 130


def test_files_that_the_code_names_exist() -> None:
    named = {(path, name) for path in SOURCES for name in _FILE.findall(path.read_text("utf-8"))}
    assert len(named) > 100
    assert {(str(path), name) for path, name in named if not (ROOT / name).is_file()} == set()


def test_the_index_of_decisions_has_title_status_and_date_of_each_page() -> None:
    rows = set((ROOT / "docs/adr/README.md").read_text("utf-8").splitlines())
    for page in sorted((ROOT / "docs/adr").glob("0*.md")):
        heading, _, stated = page.read_text("utf-8").splitlines()[:3]
        number = int(page.name[:4])
        title = re.fullmatch(rf"# {number}\. (.+)", heading)
        dated = _STATED.fullmatch(stated)
        assert title, f"{page.name}: {heading}"
        assert dated, f"{page.name}: {stated}"
        row = f"| {number} | [{title[1]}]({page.name}) | {dated[1]} | {dated[2]} |"
        assert row in rows, f"docs/adr/README.md needs the row: {row}"


def test_the_catalan_words_of_the_glossary_that_are_ours_are_on_our_screens() -> None:
    texts = ""
    for app in ("core", "lototrot", "promotrot"):
        with (ROOT / app / "locale" / "ca" / "LC_MESSAGES" / "django.po").open("rb") as catalogue:
            texts += "\n".join(str(message.string).lower() for message in read_po(catalogue))
    rows = [line.split("|") for line in (ROOT / "docs" / "glossary.md").read_text().splitlines()]
    ours = [text for row in rows if len(row) == 6 for text in _ITALIC.findall(row[2])]
    words = {word.strip().lower() for text in ours for word in text.split(",")}
    assert len(words) > 30
    assert {word for word in words if word not in texts} == set()


@pytest.mark.parametrize("page", ["architecture.md", "adr/0022-apps-contribute-by-file-name.md"])
def test_the_tables_of_contributions_have_each_that_core_collects(page: str) -> None:
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "core").rglob("*.py"))
    rows = [
        line for line in (ROOT / "docs" / page).read_text("utf-8").splitlines() if line[:1] == "|"
    ]
    collected = set(_CONTRIBUTION.findall(code))
    missing = {
        (module, constant)
        for module, constant in collected
        if not any(
            f"| `{module.replace('.', '/')}.py` |" in row and f"`{constant}`" in row for row in rows
        )
    }
    assert len(collected) > 20
    assert missing == set()


def test_the_hooks_before_a_commit_are_those_of_make_check() -> None:
    check = _CHECK.search((ROOT / "Makefile").read_text("utf-8"))
    hooks = " ".join((ROOT / ".pre-commit-config.yaml").read_text("utf-8").split())
    assert check is not None
    for line in check[1].splitlines():
        command = line.strip().lstrip("@").replace("$(WITH_SERVERS) ", "")
        command = command.replace("$(PY)", ".venv/bin/python").removesuffix(" .")
        assert command in hooks, command
