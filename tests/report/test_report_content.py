"""The contents of a report, against other methods for the same numbers."""

from __future__ import annotations

import json
import tomllib
from base64 import b64decode
from functools import partialmethod
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.examples import path
from structkin.report import content
from structkin.report.centres import centres
from structkin.report.modes import followed, mirrored, others
from structkin.show.cylinders import cylinder_sign
from structkin.show.quantities import first_peak
from structkin.show.view import motion_of

DYADS = (
    "crank_rocker",
    "slider_crank_offset",
    "whitworth_shaper",
    "scotch_yoke",
    "rapson_slide",
    "jansen_leg",
    "excavator",
)


def shown(m, samples, **options):
    """Return the default contents of the report of a mechanism."""
    return content(m, motion_of(m, samples), **options)


def test_a_copied_package_reports_its_version_without_metadata(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(Distribution, "from_name", missing)
    m = sk.load(path("crank_rocker"))
    facts = content(m, motion=m.solve(samples=3), without=["limits", "forces"])["summary"]
    assert facts["program"] == f"structkin {sk.__version__}"


def course(values: Any, n: int) -> Any:
    return np.array(
        [np.nan if value is None else value for value in (values if isinstance(values, list) else [values] * n)]
    )


@pytest.mark.parametrize("name", DYADS)
def test_solutions_of_a_dyad_lie_on_its_circles_and_lines(name: str):
    m = sk.load(path(name))
    motion, unit = m.solve(samples=31), m.units.scale("length")
    steps = content(m, motion=motion, without=["limits", "forces"])["steps"]["groups"]
    looked_at = 0
    for group, step in zip(motion.structure.groups, steps, strict=True):
        for locus in step["loci"] if group.class_ == "II" and group.kind != "RPR" else []:
            x, y, r, dx, dy = (course(locus.get(key), len(motion)) for key in ("x", "y", "r", "dx", "dy"))
            for point in step["found"]:
                px, py = motion.position(point).T / unit
                gap = np.hypot(px - x, py - y) - r if "r" in locus else dx * (py - y) - dy * (px - x)
                assert np.abs(gap).max() < 1e-4 * motion.size / unit
                looked_at += 1
    assert looked_at or name in ("whitworth_shaper", "scotch_yoke", "rapson_slide")


def test_the_other_mode_of_a_dyad_is_its_mirror_image():
    motion = sk.load(path("crank_rocker")).solve(samples=13)
    frames = mirrored(motion, motion.structure.groups[1])
    B, C, D = (motion.position(name) @ [1, 1j] for name in "BCD")
    along = (D - B) / abs(D - B)
    mirror = B + along * ((C - B) / along).conj()
    for link in ("coupler", "rocker"):
        origin, direction = frames[link]
        np.testing.assert_allclose(origin + direction * motion.mechanism.links[link].local["C"], mirror, atol=1e-12)


def test_the_other_modes_of_a_triad_are_the_other_assemblies():
    m = sk.load(path("platform_3rrr"))
    motion = m.solve(samples=5)
    group = motion.structure.groups[3]
    found, _ = others(motion, group, 2)
    every = list(m.assemblies(drivers={id: float(z[0, 2]) for id, z in motion.drivers.items()}))
    wanted = sorted(item.position("M").round(9).tolist() for item in every)
    plate = m.links["plate"].local["M"]
    places = [frames["plate"][0][0] + frames["plate"][1][0] * plate for frames in found]
    own = motion.position("M")[2]
    got = sorted([*([z.real, z.imag] for z in places), own.tolist()])
    np.testing.assert_allclose(got, wanted, atol=1e-8)


def test_the_other_modes_of_a_triad_follow_the_motion():
    m = sk.load(path("platform_3rrr"))
    motion = m.solve(samples=9)
    group = motion.structure.groups[3]
    live = followed(motion, group)
    for k in range(9):
        fixed, _ = others(motion, group, k)
        got = [frames for frames in live if np.isfinite(frames["plate"][0][k])]
        assert len(got) == len(fixed)
        for link in group.links:
            ends = (
                sorted((part[link][0][at], part[link][1][at]) for part in parts) for parts, at in ((got, k), (fixed, 0))
            )
            for one, other in zip(*(np.sort_complex(np.ravel(list(end))) for end in ends), strict=True):
                assert one == pytest.approx(other, abs=1e-8)


def test_the_modes_of_a_larger_group_are_those_of_one_pose():
    step = shown(sk.load(path("eight_bar_double_triad")), samples=3, without=["limits"])["steps"]["groups"][1]
    assert not step["live"] and len(step["modes"]) == 9


def centre_of(data: Any, link: str, base: str) -> Any:
    return next(pair for pair in data["centres"]["pairs"] if (pair["link"], pair["base"]) == (link, base))


def test_relative_instant_centres_obey_kennedys_theorem():
    """The three centres of three links are collinear; that of crank and rocker is on the line of the fixed pivots."""
    m = sk.load(path("crank_rocker"))
    motion = m.solve(samples=25)
    data = content(m, motion=motion)
    names = sorted((pair["link"], pair["base"]) for pair in data["centres"]["pairs"])
    assert names == [("coupler", "ground"), ("rocker", "crank")] or names == [
        ("coupler", "ground"),
        ("crank", "rocker"),
    ]
    pair = next(pair for pair in data["centres"]["pairs"] if pair["base"] != "ground")
    A, D = (1e3 * motion.position(name)[0] for name in "AD")
    ratio = motion.K("rocker")[:, 0]
    wanted = A[0] + (D[0] - A[0]) * ratio / (ratio - 1)  # w_2 (P - A) = w_4 (P - D)
    for k in range(25):
        if pair["x"][k] is not None:
            assert pair["x"][k] == pytest.approx(wanted[k], rel=1e-4, abs=1e-3)
            assert pair["y"][k] == pytest.approx(A[1], abs=1e-3)
    assert sum(x is not None for x in pair["x"]) > 20


def test_pairs_of_links_left_out_of_a_page_are_counted(monkeypatch: pytest.MonkeyPatch):
    motion = sk.load(path("jansen_leg")).solve(samples=3)
    every = centres(motion)
    monkeypatch.setattr("structkin.report.centres.MOST_PAIRS", 2)
    some = centres(motion)
    ground = [pair["link"] for pair in every["pairs"] if pair["base"] == "ground"]
    assert every["left_out"] == 0 and ground and len(some["pairs"]) == len(ground) + 2
    assert some["left_out"] == len(every["pairs"]) - len(some["pairs"]) > 0


def test_instant_centres_are_at_the_intersection_of_the_cranks():
    m = sk.load(path("crank_rocker"))
    motion = m.solve(samples=25)
    centre = centre_of(content(m, motion=motion), "coupler", "ground")
    A, B, C, D = (motion.position(name) for name in "ABCD")
    for k in range(25):
        meet = np.linalg.solve(np.column_stack((B[k] - A[k], C[k] - D[k])), D[k] - A[k])
        place = 1e3 * (A[k] + meet[0] * (B[k] - A[k]))
        if centre["x"][k] is not None:
            assert [centre["x"][k], centre["y"][k]] == pytest.approx(place, rel=1e-4, abs=1e-3)
    assert sum(x is not None for x in centre["x"]) > 20


def test_sections_contain_the_numbers_of_their_functions():
    m = sk.load(path("one_cylinder_engine"))
    motion = m.solve(samples=41)
    data = content(m, motion=motion)
    K, L = motion.K("C"), motion.L("C")
    found = data["coefficients"]["points"]["C"]
    assert found["K"][0][1] == pytest.approx(1e3 * K[:, 1, 0], abs=1e-3)
    assert found["L"][0][1] == pytest.approx(1e3 * L[:, 1, 0, 0], abs=1e-3)
    forces = motion.forces()
    panels = {panel["title"]: panel for panel in data["forces"]["panels"]}
    [motor] = panels["driver torque"]["curves"]
    assert motor["values"] == pytest.approx(forces.driver("motor"), rel=1e-5, abs=1e-3)
    reactions = {curve["name"]: curve["values"] for curve in panels["joint reaction"]["curves"]}
    assert panels["joint reaction"]["unit"] == "kN"
    assert reactions["A"] == pytest.approx(np.hypot(*forces.reaction("A", "rod").T) / 1e3, rel=1e-5, abs=1e-5)
    angle = np.degrees(motion.transmission_angle(1))
    assert data["transmission"]["curves"][0]["values"] == pytest.approx(angle, rel=1e-4)
    json.dumps(data, allow_nan=False)


def test_sections_exist_only_where_the_mechanism_has_them_and_can_be_left_out():
    four_bar = shown(sk.load(path("crank_rocker")), samples=7)
    assert "forces" not in four_bar and "transmission" in four_bar and "limits" in four_bar
    bare = shown(sk.load(path("crank_rocker")), samples=7, without=["limits", "steps", "transmission"])
    assert not {"limits", "steps", "transmission"} & set(bare)
    by_values = sk.load(path("crank_rocker"))
    motion = by_values.solve(drivers={"motor": np.linspace(0, 1, 5)})
    assert "rates" not in content(by_values, motion=motion) and "coefficients" in content(by_values, motion=motion)


def test_a_search_ended_by_its_budget_is_reported_and_the_rest_stays():
    data = shown(sk.load(path("platform_3rrr")), samples=5, budget=60)
    assert all("budget" in item["failure"] for item in data["limits"]) and "steps" in data
    assert [line.partition(":")[0] for line in data["summary"]["problems"]] == [
        f"No limits of motor{k}" for k in (1, 2, 3)
    ]


def test_missing_results_are_named_at_the_head_of_the_page():
    m = sk.load(path("crank_rocker"))
    data = tomllib.loads(path("crank_rocker").read_text(encoding="utf-8"))
    data["links"]["coupler"] = {"points": ["B", "C", "P"], "mass": 2}
    head = shown(sk.Mechanism.from_dict(data), samples=5, without=["limits"])["summary"]
    assert head["ok"] and any(line.startswith("No forces: ") and "coupler" in line for line in head["problems"])
    assert not shown(m, samples=5)["summary"]["problems"]


def test_the_command_names_missing_results_and_exits_with_1(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    m = sk.load(path("crank_rocker"))
    data = {**m.source_dict, "forces": {"gravity": [0, -9.81]}}
    data["links"] = {**data["links"], "coupler": {"points": ["B", "C", "P"], "mass": 2}}
    sk.Mechanism.from_dict(data).save("heavy.toml")
    done = CliRunner().invoke(app, ["report", "heavy.toml", "--samples", "5", "--without", "limits"])
    first, *others = done.output.splitlines()
    assert done.exit_code == 1 and first.startswith("written: heavy.html") and (tmp_path / "heavy.html").exists()
    assert len(others) == 1 and others[0].startswith("No forces: ") and "coupler" in others[0]
    assert m.report(samples=5, without=["limits"]).missing == ()


def test_a_pin_of_several_links_is_one_joint():
    m = sk.load(path("jansen_leg"))
    facts = dict(shown(m, samples=3, without=["limits"])["summary"]["facts"])
    assert facts["joints"] == f"{len(m.topology.joints)} ({len(m.topology.joints)} R), 3 of them multiple"


def test_each_group_has_all_points_of_its_links():
    groups = shown(sk.load(path("watt_six_bar")), samples=3, without=["limits"])["steps"]["groups"]
    assert [group["points"] for group in groups] == [["A", "B"], ["B", "C", "D", "E"], ["E", "F", "G"]]


def pendulum(**swing: Any) -> sk.Mechanism:
    return sk.Mechanism(
        "Pendulum",
        points={"A": [0, 0], "B": [1, 0]},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "mass": 1, "shape": "rod"}},
        drivers={"swing": {"joint": "A", **swing}},
        forces={"gravity": [0, -9.81]},
    )


def test_a_simulation_can_be_reported():
    m = pendulum()
    data = content(m, motion=m.simulate(0.5, samples=11))
    assert data["samples"]["n"] == 11 and data["forces"]["panels"]


@pytest.mark.usefixtures("timed_once")
def test_a_comparison_of_formulations_is_a_table_and_a_picture():
    m = pendulum()
    found = m.compare(3, simulate=0.1, methods=["reduced", "multipliers"], coordinates=["natural"])
    page = m.report(motion=m.simulate(0.1, samples=3), comparison=found)
    model = page.split('id="model">')[1].split("</script>")[0]
    shown = json.loads(model)["view"]["comparison"]
    heads, rows = shown["heads"], shown["rows"]
    assert [row[0] for row in rows] == ["reduced", "multipliers"] and "all formulations agree" in shown["title"]
    for row, run in zip(rows, found.runs, strict=True):
        cells = dict(zip(heads, row, strict=True))
        assert float(cells["position"]) == pytest.approx(run.position, rel=0.5) and cells["agrees"] == "yes"
    kind, picture = shown["picture"].split(",")
    assert kind == "data:image/svg+xml;base64" and b"<svg" in b64decode(picture)
    assert any(note.startswith("Free: swing.") for note in shown["notes"])


@pytest.mark.usefixtures("timed_once")
def test_the_command_shows_a_simulation_and_compares_its_formulations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    compare = partialmethod(sk.Mechanism.compare, methods=["multipliers"], coordinates=["relative"])
    monkeypatch.setattr(sk.Mechanism, "compare", compare)
    for name, m, options in (("free", pendulum(), []), ("driven", pendulum(speed=1.0), ["--free", "swing"])):
        m.save(f"{name}.json")
        done = CliRunner().invoke(app, ["report", f"{name}.json", "--simulate", "0.1", "--samples", "4", *options])
        assert done.exit_code == 0, done.output
        view = json.loads(Path(f"{name}.html").read_text().split('id="model">')[1].split("</script>")[0])["view"]
        assert view["samples"]["t"][-1] == 0.1 and len(view["comparison"]["rows"]) == 2
    for options, message in (
        (["--free", "swing"], "--free: belongs to a simulation"),
        (["--simulate", "1", "--duration", "1"], "--duration: a simulation ends at --simulate"),
        (["--simulate", "1"], "nothing is free to move"),
        (["--simulate", "1", "-o", "none/x.html"], "there is no folder"),
    ):
        assert message in str(CliRunner().invoke(app, ["report", "driven.json", *options]).exception)


@pytest.mark.usefixtures("timed_once")
def test_a_report_whose_formulations_differ_says_so_and_exits_with_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    compare = partialmethod(sk.Mechanism.compare, methods=["multipliers"], coordinates=["natural"], rtol=1e-4)
    monkeypatch.setattr(sk.Mechanism, "compare", compare)
    pendulum().save("free.json")
    done = CliRunner().invoke(app, ["report", "free.json", "--simulate", "2", "--samples", "4"])
    assert done.exit_code == 1 and "not all formulations agree: the page says why" in done.output


@pytest.mark.usefixtures("timed_once")
def test_a_simulation_that_stops_early_says_why_and_is_no_disagreement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    compare = partialmethod(sk.Mechanism.compare, methods=["multipliers"], coordinates=["relative"])
    monkeypatch.setattr(sk.Mechanism, "compare", compare)
    rows = [[0, 1], [0.05, 2], [0.1, 1]]
    data = pendulum().source_dict
    (rod,) = set(data["links"]) - {"ground"}
    data["forces"]["m"] = {"type": "moment", "on": rod, "table": rows}
    sk.Mechanism.from_dict(data).save("free.json")
    done = CliRunner().invoke(app, ["report", "free.json", "--simulate", "0.2", "--samples", "5"])
    assert done.exit_code == 1 and "agree" not in done.output, done.output
    why = "stopped at t = 0.1 s: forces.m: has no value"
    assert why in " ".join(done.output.split())
    m = sk.Mechanism.load("free.json")
    told = content(m, motion=m.simulate(0.2, samples=5))["summary"]
    assert not told["ok"] and f"The simulation {why}" in told["problems"][0]


def test_all_wrong_options_of_the_command_are_reported_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    wrong = ["--free", "motor", "--worksheet", "noon", "--without", "limit", "-o", "none/a.pdf"]
    refused = str(CliRunner().invoke(app, ["report", str(path("crank_rocker")), *wrong]).exception)
    for words in ("--free: belongs", "'limit' is not a section", "is not the name of", "no folder", "text 'noon'"):
        assert words in refused


def test_contradictory_options_are_reported_together(tmp_path: Path):
    m = sk.load(path("crank_rocker"))
    with pytest.raises(sk.InputError) as caught:
        m.report(tmp_path / "a.pdf", without=["limit"])
    assert [problem.key for problem in caught.value.problems] == ["without", str(tmp_path / "a.pdf")]
    with pytest.raises(sk.InputError, match="another mechanism"):
        m.report(motion=sk.load(path("crank_rocker")).solve(samples=3))


def test_the_command_writes_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["report", str(path("crank_rocker")), "--samples", "7", "--without", "limits"])
    assert done.exit_code == 0 and done.output.startswith("written: crank_rocker.html (0.")
    assert "crank_rocker.toml" in Path("crank_rocker.html").read_text(encoding="utf-8")
    Path("triple.toml").write_text(
        path("triple_rocker").read_text(encoding="utf-8").replace("80", "120"), encoding="utf-8"
    )
    done = CliRunner().invoke(app, ["report", "triple.toml", "--samples", "31"])
    assert done.exit_code == 1 and "of 31 samples are not ok: the page says why" in done.output
    done = CliRunner().invoke(app, ["report", str(path("crank_rocker")), "-o", "x.txt"])
    assert isinstance(done.exception, sk.InputError) and not Path("x.txt").exists()


@pytest.mark.parametrize("name", ["excavator", "one_cylinder_engine"])
def test_forces_from_a_thousand_on_are_in_thousands(name: str):
    """No force, moment, power or energy has a number of 1000 or more, nor its kind a unit larger than it needs."""
    found = shown(sk.load(path(name)), samples=61, without=["limits", "steps"])["forces"]
    largest = [(abs(row[1]), row[2].partition(",")[0]) for row in found["table"]]
    largest += [
        (max(abs(value) for curve in panel["curves"] for value in curve["values"]), panel["unit"])
        for panel in found["panels"]
    ]
    assert len(largest) > 10
    kinds = {unit: max(value for value, of in largest if of == unit) for _, unit in largest}
    assert all(value >= 1 if unit.startswith("k") else value < 1e3 for unit, value in kinds.items()), kinds
    assert len({unit.removeprefix("k") for unit in kinds}) == len(kinds)


def test_forces_of_cylinders_loads_springs_and_weights_are_listed():
    data = sk.load(path("excavator")).source_dict
    turned = {"type": "force", "at": "T", "on": "bucket", "value": [3000.0, 4000.0], "frame": "local"}
    tie = {"type": "spring", "between": ["E", "T"], "stiffness": 900.0, "free_length": 2.0, "damping": 300.0}
    m = sk.Mechanism.from_dict({**data, "forces": {**data["forces"], "digging": turned, "tie": tie}})
    motion = m.solve(samples=25)
    found, forces = content(m, motion=motion, without=["limits"])["forces"], motion.forces()
    table = {row[0]: row for row in found["table"]}
    for id in m.drivers:
        largest = max(forces.driver(id), key=abs)
        word = "push" if largest > 0 else "pull"
        assert table[f"driver {id}"][1] == pytest.approx(largest / 1e3, rel=1e-5)
        assert table[f"driver {id}"][2] == f"kN, {word}"
    assert table["H and K, pins of bucket_cylinder"][1] == pytest.approx(
        abs(forces.driver("bucket_cylinder")).max() / 1e3, rel=1e-5
    )
    assert table["applied digging on bucket"][1:3] == [pytest.approx(5, rel=1e-6), "kN"]
    assert "a positive force pushes" in found["notes"][0]
    arrows = {(arrow["joint"], arrow["link"]): arrow for arrow in found["arrows"]}
    # a cylinder pushes equally at both ends
    on = {key: np.array([arrow["fx"], arrow["fy"]]) for key, arrow in arrows.items()}
    np.testing.assert_allclose(on["bucket_cylinder", "arm"], -on["bucket_cylinder", "K"], rtol=1e-5)
    # the applied force turns with the bucket, the spring pulls, and with the weights all of them do the loads' work
    assert table["spring tie on bucket"][1] == table["spring tie on boom"][1] > 0
    np.testing.assert_allclose(on["tie", "bucket"], -on["tie", "boom"], rtol=1e-5)
    power = np.sum(on["digging", "bucket"].T * motion.velocity("T"), axis=1)
    power += np.sum(on["tie", "bucket"].T * (motion.velocity("T") - motion.velocity("E")), axis=1)
    for name, link in m.links.items():
        if link.mass:
            power += np.sum(on["weight", name].T * motion.velocity(link.center, name), axis=1)
    np.testing.assert_allclose(power, forces.applied_power, rtol=1e-4, atol=1e-3 * abs(forces.applied_power).max())


def test_barrel_and_rod_are_a_cylinder_whichever_way_its_axis_is_drawn():
    data = sk.load(path("excavator")).source_dict
    bore = {**data["joints"]["boom_bore"], "axis": [-1.8, -2.15]}
    m = sk.Mechanism.from_dict({**data, "joints": {**data["joints"], "boom_bore": bore}})
    assert [cylinder_sign(m, id) for id in m.drivers] == [-1, 1, 1]
    assert [cylinder_sign(sk.load(path("slider_crank_offset")), "motor")] == [0]


def test_the_largest_rate_of_a_constant_is_at_the_first_sample():
    """Rounding errors of its samples must not choose another."""
    m = sk.load(path("planetary_train"))
    motion = m.solve(samples=361)
    assert first_peak(np.array([1.0, 1.0 + 1e-15, -1.0 - 2e-15])) == 0
    for _, _, _, _, at, _, _ in content(m, motion, without=["limits"])["ranges"]["links"]:
        assert at == 0.0
