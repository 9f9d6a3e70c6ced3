// The wish in the drawing: a path, positions and a region, drawn by the pointer or point by point.
import type { Hit } from "../scene";
import { pathOf } from "../shapes";
import type { Point } from "../types";
import { camera, pixels } from "./over";
import { state, tell, type Tool } from "./store";
import { aim, angles, closed, evenly, MOST, path, type Position, positions, region, setPath } from "./wish_store";

/** The tools with which a wish is drawn. */
export type WishTool = "path" | "position" | "region";
export const isWish = (tool: Tool): tool is WishTool => tool === "path" || tool === "position" || tool === "region";

/** Pixels from which a click is a drag, between two places of a line that is drawn, and of the arrow of a position. */
const [CLICK, NEAR, ARROW] = [4, 3, 52];
/** Points of a line that was drawn by hand. */
const POINTS = 32;

type Doing =
  | { kind: "path"; from: Point; line: Point[] }
  | { kind: "point"; index: number; from: Point; moved: boolean }
  | { kind: "place"; index: number }
  | { kind: "turn"; index: number }
  | { kind: "region"; from: Point };
let doing: Doing | null = null;
/** What there was before the pointer came down. */
let before: [Point[], number[] | null, Position[], [Point, Point] | null];

const far = ([a, b]: Point, [c, d]: Point) => Math.hypot(a - c, b - d);
const radians = () => ({ deg: Math.PI / 180, mrad: 1e-3, rev: 2 * Math.PI })[state.peek()!.sketch.angle] ?? 1;
const tipOf = ([x, y, angle]: Position): Point => {
  const turn = angle * radians();
  return [x + pixels(ARROW) * Math.cos(turn), y + pixels(ARROW) * Math.sin(turn)];
};
const replaced = <T,>(list: T[], index: number, item: T) => list.map((old, k) => (k === index ? item : old));
/** A coordinate with as many digits as a pixel has. */
const rounded = (at: Point): Point => {
  const digits = Math.max(0, Math.ceil(1 - Math.log10(pixels(1))));
  return at.map((part) => Number(part.toFixed(Math.min(digits, 12)))) as Point;
};

/** Begin to draw; `aimed` is the place that the pointer means, `reach` how far it reaches. */
export function wishDown(tool: WishTool, at: Point, aimed: Point, reach: number) {
  before = [path.peek(), angles.peek(), positions.peek(), region.peek()];
  if (tool === "region") doing = { kind: "region", from: at };
  else if (tool === "position") {
    const places = positions.peek();
    const [own, tip] = [places.findIndex(([x, y]) => far([x, y], at) < reach), places.findIndex((one) => far(tipOf(one), at) < reach)];
    if (own >= 0) doing = { kind: "place", index: own };
    else if (tip >= 0) doing = { kind: "turn", index: tip };
    else if (places.length === MOST) tell(`At most ${MOST} positions: drag one, or remove one in the panel`, true);
    else {
      doing = { kind: "turn", index: places.length };
      positions.value = [...places, [...rounded(aimed), places.at(-1)?.[2] ?? 0]];
    }
  } else {
    const index = path.peek().findIndex((place) => far(place, at) < reach / 2);
    doing = index >= 0 ? { kind: "point", index, from: at, moved: false } : { kind: "path", from: at, line: [] };
    if (index < 0) setPath([...path.peek(), rounded(aimed)]);
  }
}

export function wishMove({ x, y, event }: Hit, aimed: Point) {
  const at: Point = [x, y];
  if (!doing || !event.buttons) return;
  if (doing.kind === "region") region.value = [rounded(doing.from), rounded(at)];
  else if (doing.kind === "place") {
    const angle = positions.peek()[doing.index]![2];
    positions.value = replaced(positions.peek(), doing.index, [...rounded(aimed), angle]);
  } else if (doing.kind === "turn") {
    const [px, py] = positions.peek()[doing.index]!;
    if (far([px, py], at) < pixels(CLICK)) return;
    // an arrow of some dozen pixels tells no more than a tenth of a degree
    const angle = Number((Math.round((1800 / Math.PI) * Math.atan2(y - py, x - px)) * (Math.PI / 1800 / radians())).toPrecision(6));
    positions.value = replaced(positions.peek(), doing.index, [px, py, angle]);
  } else if (doing.kind === "point") {
    doing.moved ||= far(doing.from, at) > pixels(CLICK);
    if (doing.moved) setPath(replaced(path.peek(), doing.index, rounded(aimed)));
  } else {
    if (!doing.line.length && far(doing.from, at) < pixels(CLICK)) return;
    // a line that is drawn takes the place of what was there
    if (!doing.line.length) doing.line = [doing.from];
    if (far(doing.line.at(-1)!, at) > pixels(NEAR)) doing.line.push(at);
    setPath([...doing.line]);
  }
}

export function wishUp() {
  if (doing?.kind === "path" && doing.line.length > 2) {
    const { points, round } = evenly(doing.line, POINTS);
    setPath(points.map(rounded));
    closed.value = round;
  } else if (doing?.kind === "point" && !doing.moved && doing.index === 0 && path.peek().length > 2) closed.value = true;
  else if (doing?.kind === "region" && region.peek()?.some(([x], k, both) => k && x === both[0]![0])) region.value = null;
  doing = null;
}

/** A second finger came: the view is moved, and nothing was drawn. */
export function wishPinch() {
  if (doing) [path.value, angles.value, positions.value, region.value] = before;
  doing = null;
}

export function WishMarks() {
  if (!aim.value) return null;
  const px = 1 / (camera.value?.scale ?? 1);
  const places = aim.value === "positions" ? [] : path.value;
  const [a, b] = (aim.value === "path" && region.value) || [];
  return (
    <g class="st-wish">
      {a && b && <path class="st-region" d={pathOf([a, [b[0], a[1]], b, [a[0], b[1]]], true)} />}
      <path class="st-wished" d={pathOf(places, closed.value && aim.value === "path")} />
      {places.map(([x, y], k) => <circle key={k} cx={x} cy={y} r={(k ? 3 : 5) * px} />)}
      {aim.value === "positions" && positions.value.map((one, k) => <Placed key={k} number={k + 1} at={one} px={px} />)}
    </g>
  );
}

/** A position: an arrow along the x axis of the body, half of one along its y axis, and its number. */
function Placed({ number, at, px }: { number: number; at: Position; px: number }) {
  const turn = at[2] * radians();
  const [x, y] = [at[0], at[1]];
  const [c, s] = [Math.cos(turn) * ARROW * px, Math.sin(turn) * ARROW * px];
  const head = ([-0.22, 0.22] as const).map((side): Point => [x + 0.78 * c - side * s, y + 0.78 * s + side * c]);
  return (
    <g class="st-position">
      <path d={pathOf([[x - s / 2, y + c / 2], [x, y], [x + c, y + s]])} />
      <path d={pathOf([head[0]!, [x + c, y + s], head[1]!])} />
      <circle cx={x} cy={y} r={5 * px} />
      <text transform={`matrix(${px} 0 0 ${-px} ${x - 0.3 * c - 0.25 * s} ${y - 0.3 * s + 0.25 * c})`}>{number}</text>
    </g>
  );
}
