"""Pictures and tables of mechanisms, structures and motions.

Each function is imported on first use: the rest of structkin needs no matplotlib.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from structkin.show.backend import load_matplotlib

if TYPE_CHECKING:
    from structkin.show.animation import animate
    from structkin.show.assemblies_figure import assemblies_table, draw_assemblies, found_table
    from structkin.show.atlas_figure import atlas_row, atlas_table, draw_chains, draw_groups
    from structkin.show.cam_plot import plot_cam
    from structkin.show.columns import motion_to_dict, to_dataframe, write_csv
    from structkin.show.dataset import to_xarray
    from structkin.show.files import save_figure
    from structkin.show.formulations import formulations_table, plot_formulations
    from structkin.show.free_bodies import plot_free_bodies
    from structkin.show.html import circuits_table, html_table, mechanism_table
    from structkin.show.inputs_figure import draw_inputs, inputs_table
    from structkin.show.limits_figure import draw_circuits, draw_limits, limits_table
    from structkin.show.matrices import draw_matrices
    from structkin.show.measured import measured_table, plot_measured
    from structkin.show.motion_forces import (
        forces_table,
        forces_to_dataframe,
        forces_to_dict,
        plot_forces,
        write_forces_csv,
    )
    from structkin.show.motion_plot import plot_motion
    from structkin.show.notebook import widget
    from structkin.show.schematic import draw_schematic
    from structkin.show.simulation import (
        plot_simulation,
        simulation_table,
        simulation_to_dict,
        write_simulation_csv,
    )
    from structkin.show.structure_graph import draw_structure
    from structkin.show.study_figure import draw_variants, plot_study, study_table
    from structkin.show.terminal import groups_table, summary_table
    from structkin.show.tolerance_figure import plot_tolerances

__all__ = [
    "animate",
    "assemblies_table",
    "atlas_row",
    "atlas_table",
    "circuits_table",
    "draw_assemblies",
    "draw_chains",
    "draw_circuits",
    "draw_groups",
    "draw_inputs",
    "draw_limits",
    "draw_matrices",
    "draw_schematic",
    "draw_structure",
    "draw_variants",
    "forces_table",
    "forces_to_dataframe",
    "forces_to_dict",
    "formulations_table",
    "found_table",
    "groups_table",
    "html_table",
    "inputs_table",
    "limits_table",
    "measured_table",
    "mechanism_table",
    "motion_to_dict",
    "plot_cam",
    "plot_forces",
    "plot_formulations",
    "plot_free_bodies",
    "plot_measured",
    "plot_motion",
    "plot_simulation",
    "plot_study",
    "plot_tolerances",
    "save_figure",
    "simulation_table",
    "simulation_to_dict",
    "study_table",
    "summary_table",
    "to_dataframe",
    "to_xarray",
    "widget",
    "write_csv",
    "write_forces_csv",
    "write_simulation_csv",
]

_HOMES = {
    "animate": "animation",
    "assemblies_table": "assemblies_figure",
    "atlas_row": "atlas_figure",
    "atlas_table": "atlas_figure",
    "circuits_table": "html",
    "draw_assemblies": "assemblies_figure",
    "draw_chains": "atlas_figure",
    "draw_circuits": "limits_figure",
    "draw_groups": "atlas_figure",
    "draw_inputs": "inputs_figure",
    "draw_limits": "limits_figure",
    "draw_matrices": "matrices",
    "draw_schematic": "schematic",
    "draw_structure": "structure_graph",
    "draw_variants": "study_figure",
    "forces_table": "motion_forces",
    "forces_to_dataframe": "motion_forces",
    "forces_to_dict": "motion_forces",
    "formulations_table": "formulations",
    "measured_table": "measured",
    "found_table": "assemblies_figure",
    "groups_table": "terminal",
    "html_table": "html",
    "inputs_table": "inputs_figure",
    "limits_table": "limits_figure",
    "mechanism_table": "html",
    "motion_to_dict": "columns",
    "plot_cam": "cam_plot",
    "plot_forces": "motion_forces",
    "plot_free_bodies": "free_bodies",
    "plot_formulations": "formulations",
    "plot_measured": "measured",
    "plot_motion": "motion_plot",
    "plot_simulation": "simulation",
    "plot_study": "study_figure",
    "plot_tolerances": "tolerance_figure",
    "save_figure": "files",
    "simulation_table": "simulation",
    "simulation_to_dict": "simulation",
    "study_table": "study_figure",
    "summary_table": "terminal",
    "to_dataframe": "columns",
    "to_xarray": "dataset",
    "widget": "notebook",
    "write_csv": "columns",
    "write_forces_csv": "motion_forces",
    "write_simulation_csv": "simulation",
}


def __getattr__(name: str) -> Any:
    """Import a function on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.startswith(("animate", "draw_", "plot_", "save_figure")):
        load_matplotlib()
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """List all names, including those not imported yet."""
    return sorted({*globals(), *__all__})
