"""Build the documentation site strictly: `python docs/site/build.py`; the pages are in build/site/html.

Needs the extra `docs`. The pages are those of docs/, with CONTRIBUTING.md and CHANGELOG.md from the root; links to
other files of the repository keep their text only. Afterwards every link of the built pages is followed: a missing
page, anchor or asset, and an asset from another host, is an error.
"""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import unquote, urlsplit

from diagram import with_diagrams

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "site"
FROM_ROOT = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
# Attributes that make a browser fetch something, as opposed to links that a reader may follow.
FETCHED = {("script", "src"), ("img", "src"), ("source", "src"), ("video", "src"), ("iframe", "src"), ("link", "href")}


def link_on_site(page: str, target: str) -> str | None:
    """Return what a link of a page has to be on the site, or None if it leads to a file that the site does not have.

    `page` is the path of the page in the repository.
    """
    path, _, anchor = target.partition("#")
    if not path or urlsplit(target).scheme:
        return target
    file = normpath(str(PurePosixPath(page).parent / path))
    place = FROM_ROOT.get(file) or (file[5:] if file.startswith("docs/") else None)
    if place is None or (ROOT / file).is_dir() or PurePosixPath(file).suffix in (".py", ".ipynb"):
        return None
    here = FROM_ROOT.get(page, page.removeprefix("docs/"))
    up = "../" * here.count("/")
    return up + place + ("#" + anchor if anchor else "")


def page_on_site(page: str, text: str) -> str:
    """Return the text of a page of the repository with links and diagrams as they are on the site."""

    def link(match: re.Match[str]) -> str:
        target = link_on_site(page, match[2])
        return match[1] if target is None else f"[{match[1]}]({target})"

    return with_diagrams(LINK.sub(link, text))


def gather(folder: Path) -> None:
    """Copy pages, pictures and the configuration into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    no_pages = shutil.ignore_patterns("site", "*.py", "*.ipynb", "__pycache__")
    shutil.copytree(ROOT / "docs", folder / "pages", ignore=no_pages)
    shutil.copy(ROOT / "docs" / "site" / "doctests.py", folder)
    settings = (ROOT / "docs" / "site" / "zensical.toml").read_text(encoding="utf-8")
    (folder / "zensical.toml").write_text(settings.replace("VERSION", version("structkin")), encoding="utf-8")
    shutil.copy(ROOT / "docs" / "site" / "site.css", folder / "pages")
    copied = [path.relative_to(folder / "pages").as_posix() for path in (folder / "pages").rglob("*.md")]
    for page in [*FROM_ROOT, *(f"docs/{path}" for path in copied)]:
        place = FROM_ROOT.get(page, page.removeprefix("docs/"))
        text = page_on_site(page, (ROOT / page).read_text(encoding="utf-8"))
        (folder / "pages" / place).write_text(text, encoding="utf-8")


class Page(HTMLParser):
    """The anchors of a built page, what it fetches and where it links to."""

    def __init__(self, text: str) -> None:
        """Read the text of a page."""
        super().__init__()
        self.anchors: set[str] = set()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors and targets of one element."""
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.anchors.add(value or "")
            elif (tag, name) in FETCHED and dict(attrs).get("rel") != "canonical":
                self.fetched.append(value or "")
            elif (tag, name) == ("a", "href"):
                self.links.append(value or "")


def problems(site: Path) -> list[str]:
    """Return every broken link of the built site and everything that it fetches from another host."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        for target in page.fetched + page.links:
            url = urlsplit(target)
            if url.scheme == "data":
                continue
            if url.scheme or url.netloc:
                found += [f"{name}: {target} is fetched from another host"] if target in page.fetched else []
                continue
            base = site if path.name == "404.html" else path.parent
            file = (base / unquote(url.path).lstrip("/")).resolve() if url.path else path
            file = file / "index.html" if file.is_dir() else file
            if not file.exists():
                found.append(f"{name}: {target} does not exist")
            elif url.fragment and file in pages and unquote(url.fragment) not in pages[file].anchors:
                found.append(f"{name}: {target} has no such anchor")
    return found + [
        f"{path.relative_to(site)}: {url} is fetched from another host"
        for path in sorted(site.rglob("*.css"))
        for url in re.findall(r"(?:url\(|@import)\s*[\"']?(https?:[^\"')]+)", path.read_text(encoding="utf-8"))
    ]


def main() -> None:
    """Build the site and check it; exit with code 1 where anything is wrong."""
    gather(WORK)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", str(WORK / "zensical.toml")]
    if subprocess.run(command, cwd=WORK, check=False).returncode:
        sys.exit(1)
    found = problems(WORK / "html")
    print(
        "\n".join(found)
        or f"{len(list((WORK / 'html').rglob('*.html')))} pages, no broken link, nothing from elsewhere"
    )
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
