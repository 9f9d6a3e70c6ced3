// Lengths and angles as dimensions on the drawing; a double click types them.
import { signal } from "@preact/signals";
import { useContext } from "preact/hooks";
import { pixel } from "../camera";
import { StageContext } from "../scene";
import type { Point } from "../types";
import { number, unitWords } from "../words";
import { QUANTITIES, read } from "./fields";
import { dimensions, edit, selected, state, tell } from "./store";
import type { State } from "./types";

interface Dimension {
  kind: "length" | "angle";
  first: string;
  second: string;
  value: number;
  locked: boolean;
}

/** Pixels from a link to its dimension line, and the radius of the arc of an angle. */
const [ASIDE, ARC] = [16, 30];
/** Of a drawing of more links, only the dimensions of the selected link and given lengths are shown. */
const MOST = 60;

/** The dimension that is typed, and where its field is [pixels]. */
const typing = signal<(Dimension & { at: Point }) | null>(null);

const turnsOf = (unit: string) => ({ deg: 180 / Math.PI, rad: 1, mrad: 1e3, rev: 0.5 / Math.PI })[unit] ?? 1;

/** Return the dimensions that are shown: given lengths, and those of the selected link or of all links. */
function shown({ sketch }: State, all: boolean, link: string | null): Dimension[] {
  const found = new Map<string, Dimension>();
  const add = (kind: Dimension["kind"], first: string, second: string) => {
    const [p, q] = [sketch.points[first], sketch.points[second]];
    if (!p || !q || found.has(`${kind} ${second} ${first}`) || found.has(`${kind} ${first} ${second}`)) return;
    const [dx, dy] = [q[0] - p[0], q[1] - p[1]];
    const given = sketch.lengths[`${first}-${second}`] ?? sketch.lengths[`${second}-${first}`];
    const value = kind === "length" ? (given ?? Math.hypot(dx, dy)) : Math.atan2(dy, dx) * turnsOf(sketch.angle);
    if (dx || dy) found.set(`${kind} ${first} ${second}`, { kind, first, second, value, locked: kind === "length" && given !== undefined });
  };
  for (const key of Object.keys(sketch.lengths)) {
    const [first, second] = key.split("-");
    if (first && second) add("length", first, second);
  }
  const links = Object.keys(sketch.links).filter((name) => name !== "ground");
  for (const name of all && links.length <= MOST ? links : links.filter((one) => one === link)) {
    const members = sketch.links[name]!;
    members.forEach((first, k) => members.length > 1 && add("length", first, members[(k + 1) % members.length]!));
    if (members.length > 1) add("angle", members[0]!, members[1]!);
  }
  return [...found.values()];
}

export function Dimensions({ now }: { now: State }) {
  const stage = useContext(StageContext)!;
  const [camera, size] = [stage.camera.value, stage.size.value];
  if (!camera) return null;
  const { sketch } = now;
  const chosen = selected.value?.kind === "links" ? selected.value.name : null;
  return (
    <g class="st-dimensions">
      {shown(now, dimensions.value, chosen).map((one) => {
        const [a, b] = [pixel(camera, size, sketch.points[one.first]!), pixel(camera, size, sketch.points[one.second]!)];
        const { path, at } = one.kind === "length" ? beside(a, b) : arc(a, b);
        const text = `${number(one.value, 5)}${one.kind === "angle" ? unitWords(sketch.angle) : ""}`;
        return (
          <g
            key={`${one.kind} ${one.first} ${one.second}`}
            class={one.locked ? "st-locked" : ""}
            data-dimension={`${one.kind} ${one.first}–${one.second}`}
            onPointerDown={(event) => event.stopPropagation()}
            onDblClick={(event) => {
              event.stopPropagation();
              typing.value = { ...one, at };
            }}
          >
            <title>{one.locked ? "A given length; double click to change it" : `Double click to type this ${one.kind}`}</title>
            <path d={path} />
            <text x={at[0]} y={at[1]} text-anchor="middle" dominant-baseline="central">{text}</text>
          </g>
        );
      })}
    </g>
  );
}

/** A dimension line beside a link, above it, with its ends. */
function beside([ax, ay]: Point, [bx, by]: Point): { path: string; at: Point } {
  const length = Math.hypot(bx - ax, by - ay) || 1;
  let [nx, ny] = [(by - ay) / length, (ax - bx) / length];
  if (ny > 0 || (ny === 0 && nx < 0)) [nx, ny] = [-nx, -ny];
  const point = (x: number, y: number, off: number) => `${x + off * nx} ${y + off * ny}`;
  const ends = [[ax, ay], [bx, by]].map(([x, y]) => `M${point(x!, y!, 5)}L${point(x!, y!, ASIDE + 4)}`);
  return {
    path: `M${point(ax, ay, ASIDE)}L${point(bx, by, ASIDE)}${ends.join("")}`,
    at: [(ax + bx) / 2 + (ASIDE + 9) * nx, (ay + by) / 2 + (ASIDE + 9) * ny],
  };
}

/** The arc from the x axis to a link, and the end of the axis. */
function arc([ax, ay]: Point, [bx, by]: Point): { path: string; at: Point } {
  const turn = Math.atan2(ay - by, bx - ax);
  const at = (angle: number, radius: number): Point => [ax + radius * Math.cos(angle), ay - radius * Math.sin(angle)];
  return {
    path: `M${ax + 8} ${ay}H${ax + ARC + 8}M${at(0, ARC)}A${ARC} ${ARC} 0 0 ${turn > 0 ? 0 : 1} ${at(turn, ARC)}`,
    at: at(turn / 2, ARC + 18),
  };
}

/** The field of the dimension that is typed, over the drawing. */
export function Typed() {
  const one = typing.value;
  if (!one || !state.value) return null;
  const { sketch } = state.value;
  const { kind, first, second } = one;
  const end = (input: HTMLInputElement, keep: boolean) => {
    if (typing.peek() !== one) return;
    typing.value = null;
    const value = read(input.value, kind, kind === "length" ? sketch.unit : sketch.angle);
    if (!keep || input.value === input.defaultValue) return;
    if (value === null) tell(`${first}–${second}: ${QUANTITIES[kind].words}`, true);
    else if (kind === "length") edit({ op: "set_length", first, second, length: value });
    else edit({ op: "set_angle", first, second, angle: value });
  };
  return (
    <input
      ref={(input) => input?.select()}
      class="st-typed"
      aria-label={`${kind} ${first}–${second}`}
      style={{ left: `${one.at[0]}px`, top: `${one.at[1]}px` }}
      inputMode="decimal"
      defaultValue={String(Number(one.value.toPrecision(6)))}
      onKeyDown={({ key, currentTarget }) => (key === "Enter" || key === "Escape") && end(currentTarget, key === "Enter")}
      onBlur={({ currentTarget }) => end(currentTarget, true)}
    />
  );
}
