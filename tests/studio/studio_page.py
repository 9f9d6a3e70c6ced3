"""The studio, served in a thread and open in a page."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pages import PATIENCE

from structkin import load
from structkin.studio.run import make_server, new_session
from structkin.studio.session import Session

#: A link in a file of PMKS+.
PMKS = b"https://pmks.org/?j=A,0,0,AB,R,t,0,0,t,%0AB,1,0,AB,R,f,0,0,f,&l=AB,1,1,0,0,A,B,&s=10"

#: Keeps in `window.asked` the last messages that were sent and are not answered: of the changes, which are numbered by
#: `ask`, and of the motions, numbered by `seq`. A state that comes unasked, to complete one before, answers neither.
#: What is to be drawn over a pose is answered by a pose without a number, or by none if there is no pose.
WATCH = """window.asked = {};
window.WebSocket = class extends window.WebSocket {
    constructor(...given) {
        super(...given);
        this.addEventListener("message", ({ data }) => {
            const { type, ask, seq, done } = JSON.parse(data);
            if (ask >= window.asked.ask) delete window.asked.ask;
            if ((type === "state" && ask) || ["refused", "fault"].includes(type)) delete window.asked.seq;
            if (seq === window.asked.seq && done) delete window.asked.seq;
            if (type === "state") delete window.asked.hello;
            if (type === "state" || (type === "pose" && !seq)) delete window.asked.layers;
        });
    }
    send(text) {
        const { type, ask, seq } = JSON.parse(text);
        const known = ["hello", "layers"].includes(type) ? { [type]: true } : ask ? { ask } : seq ? { seq } : {};
        Object.assign(window.asked, known);
        super.send(text);
    }
};"""


#: Counts in `window.poses` the frames in which a link's place differs from that in the frame before.
COUNT = """link => {
    window.poses = 0;
    let before = "";
    const look = () => {
        const now = document.querySelector(`[data-id="link:${link}"]`).getAttribute("transform");
        if (now !== before) window.poses += 1;
        before = now;
        requestAnimationFrame(look);
    };
    look();
}"""


class Studio:
    """The studio in a page, its errors and its requests."""

    def __init__(self, browser: Any, address: str, script: str = "", context: Any = None) -> None:
        self.address, self.errors, self.requests = address, list[str](), list[str]()
        self.context = context or browser.new_context(viewport={"width": 1280, "height": 800})
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.add_init_script(WATCH)
        if script:
            self.page.add_init_script(script)
        self.page.goto(address)
        self.page.wait_for_selector(".st-page")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def play(self, name: str = "Play") -> None:
        self.page.locator(".st-player").get_by_role("button", name=name, exact=True).click()

    def new_joint(self, kind: str, *places: tuple[float, float]) -> None:
        """Add a joint of the links and points that are clicked at positions on the screen."""
        self.page.get_by_label("New joint").select_option(kind)
        for place in places:
            self.page.mouse.click(*place)
        self.press("Add")

    def panel(self, name: str) -> str:
        return self.page.locator(f"[data-panel='{name}']").inner_text()

    def see(self, name: str, text: str) -> None:
        """Wait until a panel shows a text."""
        try:
            self.page.locator(f"[data-panel='{name}']").get_by_text(text).first.wait_for()
        except Exception as error:
            raise AssertionError(f"{name} does not say {text!r}: {self.page.inner_text('.st-page')}") from error

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Return the screen position of a point in the mechanism's plane."""
        found = self.page.evaluate(
            """([x, y]) => { const at = new DOMPoint(x, y).matrixTransform(
                document.querySelector(".sk-world").getScreenCTM()); return [at.x, at.y]; }""",
            [x, y],
        )
        return found[0], found[1]

    def point(self, name: str) -> tuple[float, float]:
        """Return the screen position of the handle of a point, which is at rest."""
        self.at_rest()
        box = self.page.locator(f"circle[data-point='{name}']").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def sketch(self) -> dict[str, list[str]]:
        """Return the positions of all points in the sketch."""
        handles = self.page.locator("circle[data-point]").all()
        return {one.get_attribute("data-point"): [one.get_attribute(k) for k in ("cx", "cy")] for one in handles}

    def saved(self, file: Path) -> dict[str, Any]:
        """Save, and return what the file then holds."""
        self.at_rest()
        self.page.keyboard.press("Control+s")
        self.at_rest()  # the words of an earlier one may still stand there
        self.page.get_by_text("Saved").first.wait_for()
        return load(file).source_dict

    def pull(self, *places: tuple[float, float]) -> None:
        """Drag along positions on the screen."""
        self.page.mouse.move(*places[0])
        self.page.mouse.down()
        for place in places[1:]:
            self.page.mouse.move(*place, steps=6)
        self.page.mouse.up()
        self.at_rest()

    def at_rest(self) -> None:
        """Wait until what was asked of the studio is answered, and nothing that is drawn has moved for some frames."""
        self.page.wait_for_function(
            """() => {
                const drawn = [...document.querySelectorAll(".st-canvas .sk-world, .st-canvas .sk-world *")].map(
                    (one) => one.getAttribute("transform") + JSON.stringify(one.getBoundingClientRect())).join();
                [window.alike, window.drawn] = [drawn === window.drawn ? (window.alike ?? 0) + 1 : 0, drawn];
                return window.alike > 3 && !Object.keys(window.asked).length;
            }""",
            polling="raf",
        )

    def place(self, point: str) -> tuple[float, float]:
        """Return the drawn position of a point, by its name; it is at rest."""
        self.at_rest()
        drawn = f".st-canvas circle:is([data-id='pin:{point}'], [data-id='point:{point}'])"
        box = self.page.locator(drawn).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@contextmanager
def opened(browser: Any, folder: Path, text: str) -> Iterator[tuple[Studio, Path]]:
    """Open a studio of a new file with a text; at the end the page has had no errors."""
    file = folder / "drawn.toml"
    file.write_text(text)
    with served(file) as address:
        studio = Studio(browser, address)
        yield studio, file
        assert not studio.errors


@contextmanager
def served(shown: Path | Session | None = None, port: int = 0) -> Iterator[str]:
    """Serve a studio of a file or a session in a thread."""
    session = shown if isinstance(shown, Session) else new_session(shown)
    server, listener, address = make_server(session, port)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def ladder(count: int, row: int = 12) -> str:
    """Return a mechanism of so many links: four-bars in rows, each driven by the one before."""
    points, links, ground, last = ["A0 = [0, 0]", "B0 = [10, 30]"], ['crank = ["A0", "B0"]'], ['"A0"'], "B0"
    for k in range(1, count // 2 + 1):
        x, y = 100 * (k % row), -120 * (k // row)
        points += [f"A{k} = [{x}, {y}]", f"B{k} = [{x + 12}, {y + 45 + k % 5}]"]
        links += [f'rod{k} = ["{last}", "B{k}"]', f'arm{k} = ["A{k}", "B{k}"]']
        ground.append(f'"A{k}"')
        last = f"B{k}"
    head = 'units = { length = "mm", angle = "deg" }\ndrivers = { motor = { joint = "A0", speed = "30 rpm" } }'
    return "\n".join([head, "[points]", *points, "[links]", f"ground = [{', '.join(ground)}]", *links, ""])


def middle(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
