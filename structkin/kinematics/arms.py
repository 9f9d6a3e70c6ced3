"""The arms of a dyad between its pins: a link, or a composite of links that is solved in the frame of one of them."""

from __future__ import annotations

from structkin.groups import kind
from structkin.kinematics.closing import Closing, half_square
from structkin.kinematics.plan import Operand, Slot
from structkin.kinematics.relations import HalfSquare, Quotient
from structkin.kinematics.scene import Contact
from structkin.rows.affine import Affine, Frame
from structkin.structure import decompose


class Arm:
    """A link or composite between its known pin and the dyad's inner pin."""

    def __init__(self, closing: Closing, tie: Contact, inner: Contact) -> None:
        """Take the arm of the outer contact `tie`; a composite is solved in the frame of its link at the known pin."""
        self._closing, self._base = closing, tie.link
        scene, cluster = closing.scene, closing.clusters[tie.link]
        assert inner.other is not None
        far = inner.link if inner.link in cluster else inner.other
        if len(cluster) == 1:
            self._relative = {tie.link: Frame(Affine(), Affine(1 + 0j))}
        else:
            inside = scene.within(cluster, tie.link)
            inside.solve_all(decompose(inside.topology), closing.index)
            self._relative = inside.frames
        self._near = scene.local(tie.link, tie.joint)
        self._span = self._relative[far].point(scene.local(far, inner.joint)) - Affine(self._near)

    @property
    def half_square(self) -> Operand:
        """Half the square of the distance between the two pins."""
        if not self._span.terms:
            return half_square(self._span.const)
        closing = self._closing
        tape = closing.scene.tape
        value = half_square(self._span.at(tape.sketch))
        span = closing.vector(self._span)
        return Slot(tape.step(HalfSquare(), (span,), (value,), group=closing.index, scalar=True)[0])

    def frames(self, pin: Affine, tip: Affine) -> dict[str, Frame]:
        """Return the frames of all links, where the pins are at `pin` and `tip`."""
        closing, scene = self._closing, self._closing.scene
        if not self._span.terms:
            direction = (tip - pin) * (1 / self._span.const)
        else:
            inputs = (closing.vector(tip - pin), closing.vector(self._span))
            (out,) = scene.tape.step(Quotient(), inputs, (scene.sketch_frame(self._base)[1],), group=closing.index)
            direction = Affine.slot(out)
        base = Frame(pin - direction * self._near, direction)
        return {
            link: Frame(base.origin + self._turned(direction, frame.origin), self._turned(direction, frame.direction))
            for link, frame in self._relative.items()
        }

    def _turned(self, direction: Affine, relative: Affine) -> Affine:
        """Return a vector of the base link's frame in the frame of the scene."""
        if not relative.terms:
            return direction * relative.const
        closing = self._closing
        tape = closing.scene.tape
        if not direction.terms:
            return relative * direction.const
        value = direction.at(tape.sketch) * relative.at(tape.sketch)
        inputs = (closing.vector(direction), closing.vector(relative))
        return Affine.slot(tape.step(kind("driven R"), inputs, (value,), group=closing.index)[0])
