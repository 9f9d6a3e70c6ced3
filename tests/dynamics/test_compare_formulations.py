"""`m.compare(simulate=...)` and `structkin compare FILE --simulate`: agreement, and why some differ."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import few
from test_identical_results import released
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.dynamics.formulations_compared import compare_formulations
from structkin.examples import names, path
from structkin.global_methods.methods import FAMILIES
from structkin.show import formulations_table, plot_formulations

pytestmark = pytest.mark.usefixtures("timed_once")


def pendulum(**more: Any) -> sk.Mechanism:
    """A point mass of 1 kg on a massless rod of 1 m, released at the horizontal."""
    return sk.Mechanism(
        "Pendulum", points={"A": (0, 0), "B": (1, 0)}, forces={"gravity": (0, -9.81)},
        drivers={"swing": {"joint": "A"}},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 1}}}, **more,
    )  # fmt: skip


def test_all_formulations_agree_on_a_four_bar() -> None:
    parts: list[float] = []
    found = released("crank_rocker").compare(5, simulate=0.05, progress=parts.append)
    assert found.agrees and len(found.runs) == 1 + 3 * 4 and found.samples == 5 and found.end == 0.05
    assert {run.formulation for run in found.runs} == {
        "reduced", "multipliers", "multipliers-sparse", "multipliers-sweeps",
    }  # fmt: skip
    for run in found.runs:
        assert run.position < 1e-7 and run.velocity < 1e-6 and run.reaction < 1e-5 and run.energy < 1e-7
        assert run.violation < 1e-12 and run.evaluations > 10 and not run.stopped and not run.remark
    # Coordinates and constraints of a four-bar: two pins; three bodies; three bodies in full; three angles.
    assert [(run.n, run.m) for run in found.runs[:5]] == [(1, 0), (4, 3), (9, 8), (12, 11), (3, 2)]
    assert parts == sorted(parts) and parts[-1] == 1.0


@pytest.mark.parametrize("name", few(["scotch_yoke", "slider_crank_offset", "elliptic_trammel", "geared_five_bar"]))
def test_they_agree_on_mechanisms_with_guides_slots_and_gears(name: str) -> None:
    found = released(name).compare(4, simulate=0.05, coordinates=["natural", "relative"])
    assert found.agrees and len(found.runs) == 1 + 3 * 2, [run.remark for run in found.runs]


def test_the_reaction_and_the_energy_of_a_pendulum() -> None:
    """Released at the horizontal its rod carries 3 m g sin(a), so the largest force is that of the last sample."""
    m = pendulum()
    run = m.simulate(0.4, samples=5, rtol=1e-10, atol=1e-11)
    depth = -run.position("B")[:, 1]
    force = np.hypot(*run.joints.reaction("A", "rod").T)
    np.testing.assert_allclose(force, 3 * 9.81 * depth, rtol=1e-7, atol=1e-8)
    found = m.compare(5, simulate=0.4, methods=["multipliers"], coordinates=["natural"])
    assert found.agrees and found.runs[1].reaction < 1e-8 and found.runs[1].energy < 1e-8


def test_each_stabilisation_that_is_asked_for_is_compared() -> None:
    found = pendulum().compare(
        4, simulate=0.2, methods=["multipliers"], coordinates=["natural"], alpha=5, beta=5,
        stabilisations=["projection", "none", "baumgarte"],
    )  # fmt: skip
    assert [run.stabilisation for run in found.runs] == [None, "projection", "none", "baumgarte"]
    assert found.runs[2].violation > found.runs[1].violation


def test_a_difference_is_explained_by_a_run_of_a_smaller_tolerance() -> None:
    """At a large tolerance the formulations differ by errors of integration: these vanish with the tolerance."""
    found = pendulum().compare(9, simulate=2.0, methods=["multipliers"], coordinates=["natural"], rtol=1e-4)
    assert not found.agrees
    assert all(run.remark.startswith("an error of integration: position") for run in found.runs if run.remark)


def test_a_formulation_of_other_equations_is_not_called_an_error_of_integration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain, heavier = pendulum(), pendulum(initial={"swing": {"speed": 1e-3}})
    simulate = sk.Mechanism.simulate

    def another(self: sk.Mechanism, *args: Any, **more: Any) -> sk.Simulation:
        return simulate(plain if more["formulation"] == "reduced" else heavier, *args, **more)

    monkeypatch.setattr(sk.Mechanism, "simulate", another)
    found = plain.compare(5, simulate=0.3, methods=["multipliers"], coordinates=["natural"])
    assert found.runs[0].agrees and found.runs[1].remark.startswith("not an error of integration: position")
    assert "not an error of integration" in str(formulations_table(found).caption)


def test_a_driver_with_a_law_is_freed_and_all_formulations_agree() -> None:
    """The crank at 60 rpm, let go: its run is that of the same four-bar without the law."""
    free = released("crank_rocker")
    driven = free.with_initial({}).with_drivers({"motor": {"joint": "A", "speed": "60 rpm"}})
    found = driven.compare(4, simulate=0.05, free="motor", coordinates=["natural"])
    assert found.agrees and found.free == ("motor",) and len(found.runs) == 1 + 3
    plain = free.with_initial({"motor": {"speed": "60 rpm"}}).compare(4, simulate=0.05, methods=["reduced"])
    assert (found.runs[0].n, found.runs[0].steps) == (plain.runs[0].n, plain.runs[0].steps)


def test_the_commands_free_a_driver(tmp_path: Path) -> None:
    driven, free = tmp_path / "driven.json", tmp_path / "free.json"
    m = released("crank_rocker").with_initial({}).with_drivers({"motor": {"joint": "A", "speed": "60 rpm"}})
    driven.write_text(json.dumps(m.source_dict))
    data = m.source_dict
    data["drivers"], data["initial"] = {"motor": {"joint": "A"}}, {"motor": {"speed": "60 rpm"}}
    free.write_text(json.dumps(data))
    run, found = CliRunner(), []
    for words in ((str(driven), "--free", "motor"), (str(free),)):
        done = run.invoke(app, ["simulate", *words, "--duration", "0.1", "--samples", "5", "--json"])
        assert done.exit_code == 0, done.output
        found.append(json.loads(done.output))
        call = ["compare", *words, "--simulate", "0.1", "--samples", "5", "--method", "reduced", "--json"]
        done = run.invoke(app, call)
        assert done.exit_code == 0 and json.loads(done.output)["free"] == ["motor"], done.output
    assert found[0]["drivers"] == found[1]["drivers"] and found[0]["free"] == ["motor"]
    for call in (["simulate", str(driven), "--duration", "-1"], ["compare", str(driven), "--simulate", "-1"]):
        refused = run.invoke(app, [*call, "--free", "moter", "--rtol", "-1"]).exception
        assert isinstance(refused, sk.InputError)
        keys = {problem.key for problem in refused.problems}
        assert keys == {"--free moter", "--rtol", "--duration" if call[0] == "simulate" else "--simulate"}


def test_a_mechanism_without_free_coordinates_is_refused_once() -> None:
    m = pendulum().with_drivers({"swing": {"joint": "A", "speed": 1}})
    with pytest.raises(sk.InputError) as error:
        m.compare(simulate=1.0)
    assert [problem.key for problem in error.value.problems] == ["drivers"]
    assert "nothing is free to move" in str(error.value)


def test_all_wrong_arguments_are_listed() -> None:
    with pytest.raises(sk.InputError) as error:
        pendulum().compare(
            1, simulate=-1.0, methods=["global"], coordinates=["naturel"], stabilisations=["baumgarte", "glue"],
            duration=1.0, budget=10, patience=0, rtol=0.0,
        )  # fmt: skip
    keys = {problem.key for problem in error.value.problems}
    assert keys == {
        "methods", "coordinates", "stabilisations", "patience", "duration", "budget", "samples", "rtol", "alpha",
        "beta", "simulate",
    }  # fmt: skip
    with pytest.raises(sk.InputError) as error:
        pendulum().compare(3, simulate=-1.0)
    assert [problem.key for problem in error.value.problems] == ["simulate"]
    with pytest.raises(sk.InputError) as error:
        pendulum().compare(3, stabilisations=["none"], alpha=1.0)
    assert {"stabilisations", "alpha"} <= {problem.key for problem in error.value.problems}


def test_an_impatient_comparison_names_what_it_abandons() -> None:
    found = pendulum().compare(4, simulate=0.1, methods=["multipliers"], coordinates=["relative"], patience=1e-9)
    assert found.abandoned == (("multipliers", "relative", "projection"),) and len(found.runs) == 1
    assert "Abandoned after 1e-09 s: multipliers, relative, projection" in str(formulations_table(found).caption)


def test_a_simulation_that_stops_early_says_where() -> None:
    found = pendulum().compare(4, simulate=0.1, methods=["reduced"])
    found = replace(found, runs=(replace(found.runs[0], stopped="t = 0.04 s: no value"),) * 2)
    assert str(formulations_table(found).caption).count("Stopped at t = 0.04 s: no value.") == 1


def test_the_engine_is_left_to_what_has_no_compiled_form(monkeypatch: pytest.MonkeyPatch) -> None:
    engines: dict[str, str] = {}
    simulate = sk.Mechanism.simulate

    def noted(self: sk.Mechanism, *args: Any, **more: Any) -> sk.Simulation:
        engines[more["formulation"]] = more["engine"]
        return simulate(self, *args, **{**more, "engine": "python"})

    monkeypatch.setattr(sk.Mechanism, "simulate", noted)
    compare_formulations(pendulum(), 0.1, 3, coordinates=["natural"], engine="compiled")
    assert engines == {
        "reduced": "compiled", "multipliers": "compiled", "multipliers-sparse": "auto", "multipliers-sweeps": "auto",
    }  # fmt: skip


def test_the_command_prints_a_table_json_and_a_picture(tmp_path: Path) -> None:
    file, picture = tmp_path / "pendulum.json", tmp_path / "found.png"
    file.write_text(json.dumps(pendulum().source_dict))
    call = ["compare", str(file), "--simulate", "0.1", "--samples", "4", "--coordinates", "natural"]
    run = CliRunner().invoke(app, [*call, "--to", str(picture)])
    assert run.exit_code == 0 and picture.stat().st_size > 1000, run.output
    assert "Pendulum: 0.1 s simulated, all formulations agree" in run.output and "multipliers-sweeps" in run.output
    data = json.loads(CliRunner().invoke(app, [*call, "--json"]).output)
    assert data["free"] == ["swing"] and len(data["runs"]) == 4 and data["runs"][1]["coordinates"] == "natural"
    refused = CliRunner().invoke(app, ["compare", str(file), "--to", str(picture)])
    assert "add --simulate SECONDS" in str(refused.exception)


def test_the_picture_names_each_formulation_and_the_units() -> None:
    found = pendulum().compare(4, simulate=0.1, methods=["multipliers"])
    figure = plot_formulations(found)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["reduced", *(f"multipliers, {family}" for family in FAMILIES)]
    assert [ax.get_xlabel().rsplit("[")[-1] for ax in figure.axes] == [
        "s]", "parts of the size]", "parts of the largest]", "parts of the size]",
    ]  # fmt: skip


def test_the_picture_names_stabilisations_where_they_differ() -> None:
    found = pendulum().compare(
        3, simulate=0.1, methods=["multipliers"], coordinates=["natural"], stabilisations=["projection", "none"]
    )
    labels = [label.get_text() for label in plot_formulations(found).axes[0].get_yticklabels()]
    assert labels == ["reduced", "multipliers, natural, projection", "multipliers, natural, none"]


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_the_formulations_agree_on_every_example(name: str) -> None:
    """All drivers are free, and links without masses get some; what differs is an error of integration, and says so."""
    m = sk.load(path(name))
    if not any(link.mass for id, link in m.links.items() if id != "ground"):
        data = m.source_dict
        body = {"mass": 1.0, "center": ["0 m", "0 m"], "inertia": f"{0.01 * m.size**2} kg m^2"}
        entries = {id: entry if isinstance(entry, dict) else {"points": entry} for id, entry in data["links"].items()}
        data["links"] = {id: entry if id == "ground" else {**entry, **body} for id, entry in entries.items()}
        m = sk.Mechanism.from_dict({**data, "units": {**data.get("units", {}), "mass": "kg"}})
    driven = [id for id, drive in m.drivers.items() if drive.law is not None]
    found = m.compare(5, simulate=0.1 * (m.duration or 1.0), free=driven, patience=20)
    assert len(found.runs) + len(found.abandoned) == 13
    for run in found.runs:
        assert run.agrees or run.remark.startswith("an error of integration"), run.name
