"""Tests of the page that compares pictures of screens. They need no browser."""

from pathlib import Path

from PIL import Image, ImageDraw

from tests.support.browser import comparing


def picture(
    folder: Path, name: str, *, size: tuple[int, int] = (100, 50), mark: bool = False
) -> None:
    folder.mkdir(exist_ok=True)
    drawn = Image.new("RGB", size, "white")
    if mark:
        ImageDraw.Draw(drawn).rectangle((10, 10, 19, 19), fill="black")
    drawn.save(folder / name)


def test_what_changed_most_comes_first(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    picture(old, "same.png")
    picture(new, "same.png")
    picture(old, "marked.png")
    picture(new, "marked.png", mark=True)
    picture(old, "gone.png")
    picture(new, "new.png")
    picture(old, "wider.png")
    picture(new, "wider.png", size=(120, 50))
    compared = {each.name: each for each in comparing.compare(new, old)}
    assert list(compared) == ["gone.png", "new.png", "wider.png", "marked.png", "same.png"]
    assert compared["marked.png"].changed == 100 / 5000
    assert compared["same.png"].changed == 0
    assert (new / "marked.marked.jpg").exists()
    page = comparing.page([*compared.values()])
    assert "4 of 5 pictures differ" in page
    assert 'src="marked.marked.jpg"' in page
    assert 'src="gone.png"' not in page, "there is none any more"
    assert "same" not in page


def test_the_last_pictures_are_kept_unless_there_are_none(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    picture(new, "first.png")
    comparing.put_aside(new, old)
    assert (old / "first.png").exists()
    assert not new.exists()
    comparing.put_aside(new, old)
    assert (old / "first.png").exists(), "a run without pictures takes nothing away"
