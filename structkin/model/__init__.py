"""Mechanisms as the user describes them: topology, geometry, drivers, and their file format."""

from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate, Law, Link
from structkin.model.topology import Driver, Joint, Topology
from structkin.model.units import Units

__all__ = ["Driver", "DriverCoordinate", "Joint", "Law", "Link", "Mechanism", "Topology", "Units"]
