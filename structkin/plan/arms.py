"""The arms of a dyad between its pins: a link, or a composite of links that is solved in the frame of one of them."""

from __future__ import annotations

from structkin.groups import kind
from structkin.plan.closing import Closing, half_square
from structkin.plan.known_state import Contact
from structkin.plan.plan import Operand, Slot
from structkin.plan.relations import HalfSquare, Quotient
from structkin.rows.affine import Affine, Frame
from structkin.structure import decompose


class Arm:
    """A link or composite between its known pin and the dyad's inner pin."""

    def __init__(self, closing: Closing, tie: Contact, inner: Contact) -> None:
        """Take the arm of the outer contact `tie`; a composite is solved in the frame of its link at the known pin."""
        self._closing, self._base = closing, tie.link
        state, cluster = closing.state, closing.clusters[tie.link]
        assert inner.other is not None
        far = inner.link if inner.link in cluster else inner.other
        if len(cluster) == 1:
            self._relative = {tie.link: Frame(Affine(), Affine(1 + 0j))}
        else:
            inside = state.within(cluster, tie.link)
            inside.solve_all(decompose(inside.topology), closing.index)
            self._relative = inside.frames
        self._near = state.local(tie.link, tie.joint)
        self._span = self._relative[far].point(state.local(far, inner.joint)) - Affine(self._near)

    @property
    def half_square(self) -> Operand:
        """Half the square of the distance between the two pins."""
        if not self._span.terms:
            return half_square(self._span.const)
        closing = self._closing
        builder = closing.state.builder
        value = half_square(self._span.at(builder.sketch))
        span = closing.vector(self._span)
        return Slot(builder.step(HalfSquare(), (span,), (value,), group=closing.index, scalar=True)[0])

    def frames(self, pin: Affine, tip: Affine) -> dict[str, Frame]:
        """Return the frames of all links, where the pins are at `pin` and `tip`."""
        closing, state = self._closing, self._closing.state
        if not self._span.terms:
            direction = (tip - pin) * (1 / self._span.const)
        else:
            inputs = (closing.vector(tip - pin), closing.vector(self._span))
            (out,) = state.builder.step(Quotient(), inputs, (state.sketch_frame(self._base)[1],), group=closing.index)
            direction = Affine.slot(out)
        base = Frame(pin - direction * self._near, direction)
        return {
            link: Frame(base.origin + self._turned(direction, frame.origin), self._turned(direction, frame.direction))
            for link, frame in self._relative.items()
        }

    def _turned(self, direction: Affine, relative: Affine) -> Affine:
        """Return a vector of the base link's frame in the frame of the state."""
        if not relative.terms:
            return direction * relative.const
        closing = self._closing
        builder = closing.state.builder
        if not direction.terms:
            return relative * direction.const
        value = direction.at(builder.sketch) * relative.at(builder.sketch)
        inputs = (closing.vector(direction), closing.vector(relative))
        return Affine.slot(builder.step(kind("driven R"), inputs, (value,), group=closing.index)[0])
