"""Draw the pictures of the documentation into docs/img, from the examples: `python docs/draw_pictures.py`."""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import draw_groups

from structkin import Mechanism, SpatialModel, atlas, chains, load
from structkin.examples import names, path, scalable_four_bar, spatial
from structkin.joints.cam import Cam
from structkin.show.assemblies_figure import draw_assemblies
from structkin.show.atlas_figure import draw_chains
from structkin.show.atlas_figure import draw_groups as draw_structural_groups
from structkin.show.cam_plot import plot_cam
from structkin.show.files import save_figure
from structkin.show.schematic import draw_schematic
from structkin.show.simulation import plot_simulation
from structkin.show.space import animate_space

FOLDER = Path(__file__).parent / "img"
#: Examples that move in the gallery.
MOVING = (
    "cam_lever_press",
    "crank_rocker",
    "excavator",
    "geneva",
    "klann_leg",
    "peaucellier",
    "planetary_train",
    "stephenson_iii_triad",
    "v_engine",
    "whitworth_shaper",
)
#: Those among them of which other pages show a still.
STILL_TOO = ("crank_rocker", "excavator")
SCRATCH = Path(tempfile.mkdtemp())
STUDY = "import sys; from structkin.cli import main; sys.argv[1:1] = ['studies']; main()"


def main() -> None:
    """Draw every example, moving or as a schematic, and what else the pages show of some."""
    FOLDER.mkdir(exist_ok=True)
    for name in names():
        mechanism = load(path(name))
        motion = mechanism.solve()
        if name not in (*MOVING, "jansen_leg") or name in STILL_TOO:
            save_figure(draw_schematic(mechanism, motion=motion, structure=motion.structure), FOLDER / f"{name}.png")
        if name == "one_cylinder_engine":
            save_figure(motion.forces().plot(), FOLDER / f"{name}_forces.png")
        for cam in mechanism.joints.of(Cam).values():
            save_figure(plot_cam(cam, mechanism.units), FOLDER / f"{name}_{cam.id}.png")
        if name in ("platform_3rpr", "platform_3rrr", "eight_bar_double_triad"):
            save_figure(draw_assemblies(mechanism.assemblies()), FOLDER / f"{name}_assemblies.png")
        if name in MOVING:  # 45 frames, each with a sample of its own
            mechanism.solve(samples=181).animate(fps=15, seconds=3, width=640).save(FOLDER / f"{name}.webp")
    save_figure(draw_schematic(scalable_four_bar(8)), FOLDER / "scalable_four_bar.png")
    draw_atlas()
    # 80 frames, each with a sample of its own.
    film = load(path("jansen_leg")).solve(samples=321).animate(fps=20, seconds=4, width=640)
    film.save(FOLDER / "jansen_leg.gif")
    for name, seconds in (("spinning_top", 2.0), ("bricard", 5.0)):
        moved = SpatialModel.load(spatial.path(name)).simulate(seconds, 401)
        animate_space(moved, fps=12, seconds=5, width=480).save(FOLDER / f"{name}.gif")
    draw_equations()
    draw_groups.main()
    page = (FOLDER.parent / "dynamics.md").read_text(encoding="utf-8")
    pendulum = re.search(r"```toml\n(# double_pendulum.*?)```", page, re.DOTALL)
    assert pendulum is not None
    swing = Mechanism.from_dict(tomllib.loads(pendulum[1])).simulate(5.0, samples=501)
    save_figure(plot_simulation(swing), FOLDER / "double_pendulum_simulation.png")
    stop = re.search(r"```toml\n(# slider_stop.*?)```", page, re.DOTALL)
    assert stop is not None
    bounces = Mechanism.from_dict(tomllib.loads(stop[1])).simulate(1.5, samples=1501)
    save_figure(plot_simulation(bounces), FOLDER / "slider_stop_simulation.png")
    # The pictures of docs/studies.md and docs/small-steps.md: some minutes.
    for study in ("newton", "baumgarte", "gait", "gait-drift", "pendulum", "slider-crank", "small-steps"):
        subprocess.run([sys.executable, "-c", STUDY, study, "--to", str(SCRATCH)], check=True)
    for picture in SCRATCH.glob("*.png"):
        shutil.copy(picture, FOLDER)


def draw_atlas() -> None:
    """Draw the chains of eight links, the groups of four and six links, and the six-bar of the how-to."""
    save_figure(draw_chains(chains(8), "Chains of 8 links with 1 degree of freedom"), FOLDER / "atlas_8.png")
    for links in (4, 6):
        figure = draw_structural_groups(atlas(links + 1, 0), f"Structural groups of {links} links")
        save_figure(figure, FOLDER / f"atlas_groups_{links}.png")
    (entry,) = [one for one in atlas(6) if one.choice.kinds == ("driven R", "class IV order 2")]
    save_figure(draw_schematic(entry.topology.mechanism()), FOLDER / "atlas_stephenson.png")


def draw_equations() -> None:
    """Typeset the equations of the double pendulum of equations.md."""
    from matplotlib.figure import Figure

    from structkin.multibody.file import from_dict
    from structkin.symbolic import equations

    page = (FOLDER.parent / "equations.md").read_text(encoding="utf-8")
    model = from_dict(tomllib.loads(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1]))
    (block,) = re.findall(r"align\*}\n(.*?)\n\\end", equations(model).latex(document=False), re.DOTALL)
    lines = block.replace("&", "").split(" \\\\\n")
    figure = Figure(figsize=(8, 0.4 * len(lines)), dpi=100)
    for number, line in enumerate(lines):
        figure.text(0.01, 1 - (number + 0.7) / len(lines), f"${line.strip()}$", fontsize=11)
    save_figure(figure, FOLDER / "equations.png")


if __name__ == "__main__":
    main()
