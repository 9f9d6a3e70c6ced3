// Masses and loads as they are drawn over the scene: symbols of one size in pixels, arrows as long as the forces are large.
import { useContext } from "preact/hooks";
import { arrowOf } from "../arrows";
import { type Camera, pixel, type Size } from "../camera";
import { type Besides, CHARACTER } from "../labels";
import { type Pose, spot } from "../pose";
import { StageContext } from "../scene";
import type { Place, Point } from "../types";
import { inThousands, number } from "../words";
import { pose, selected } from "./store";
import type { Mark } from "./types";

/** Pixels of the longest arrow of a load and of a weight; the shortest is still seen. */
const [LOAD, WEIGHT, LEAST] = [80, 46, 16];
/** Radius of the symbol of a mass, and of the arc of a moment [pixels]. */
const [MASS, TURN] = [7, 19];

/** The text of a load, and where it is drawn [pixels]. */
interface Told {
  text: string;
  at: Point;
  anchor: "start" | "middle" | "end";
}

const sizeOf = ([x, y]: Point) => Math.hypot(x, y);
const largestOf = (marks: Mark[], kind: "mass" | "force") => Math.max(0, ...marks.map((mark) => (mark.kind === kind ? sizeOf(mark.way) : 0)));

/** Return the pixel of a place of a link in a pose. */
function pixelOf(at: Place, pose: Pose, camera: Camera, size: Size): Point | null {
  const place = spot(pose, at);
  return place && pixel(camera, size, place);
}

/** Return the force of a mark in a pose. */
function forceOf(mark: Mark & { kind: "force" }, pose: Pose): Point {
  const turn = mark.local ? (pose[mark.at[0]]?.angle ?? 0) : 0;
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  return [c * mark.way[0] - s * mark.way[1], s * mark.way[0] + c * mark.way[1]];
}

/** Return where an arrow begins and how far it goes [pixels], from a place on or up to it; none without a force. */
function arrowOfForce(at: Point, way: Point, largest: number, longest: number, arrives: boolean): [from: Point, way: Point] | null {
  const size = sizeOf(way);
  if (!size) return null;
  const length = Math.max((size / largest) * longest, LEAST);
  const [dx, dy] = [(way[0] / size) * length, (-way[1] / size) * length];
  return [arrives ? [at[0] - dx, at[1] - dy] : at, [dx, dy]];
}

/** Return the text of a load in a pose, at the far end of its arrow or above its arc. */
function toldOf(mark: Mark & { kind: "force" | "moment" }, [x, y]: Point, pose: Pose, strongest: number): Told {
  const way: Point = mark.kind === "force" ? forceOf(mark, pose) : [0, 0];
  const size = mark.kind === "force" ? inThousands(sizeOf(way), "N") : inThousands(mark.size, "N m");
  const text = `${mark.id}: ${size}${mark.varies ? " at first" : ""}`;
  if (mark.kind === "moment") return { text, at: [x, y - TURN - 6], anchor: "middle" };
  const arrow = arrowOfForce([x, y], way, strongest, LOAD, true);
  if (!arrow) return { text, at: [x + 9, y - 9], anchor: "start" };
  const [from, [dx, dy]] = arrow;
  return {
    text,
    at: [from[0] - 4 * Math.sign(dx), from[1] - (dy > 1 ? 6 : dy < -1 ? -14 : 8)],
    anchor: dx > 1 ? "end" : dx < -1 ? "start" : "middle",
  };
}

/** Return the texts and arrows of loads in a pose, which names keep clear of. */
export function drawnOf(marks: Mark[], pose: Pose, camera: Camera, size: Size): Besides {
  const found: Besides = { texts: [], lines: [] };
  const strongest = largestOf(marks, "force");
  for (const mark of marks) {
    const at = pixelOf(mark.at, pose, camera, size);
    if (!at || (mark.kind !== "force" && mark.kind !== "moment")) continue;
    const { text, at: [x, y], anchor } = toldOf(mark, at, pose, strongest);
    const half = (text.length * CHARACTER) / 2;
    found.texts.push([x + half * { start: 1, middle: 0, end: -1 }[anchor], y - 4, half]);
    const arrow = mark.kind === "force" && arrowOfForce(at, forceOf(mark, pose), strongest, LOAD, true);
    if (arrow) found.lines.push([arrow[0], at]);
  }
  return found;
}

export function Loads({ marks }: { marks: Mark[] }) {
  const stage = useContext(StageContext)!;
  const [camera, size, now] = [stage.camera.value, stage.size.value, pose.value];
  if (!camera) return null;
  const [heaviest, strongest] = [largestOf(marks, "mass"), largestOf(marks, "force")];
  const where = (at: Place) => pixelOf(at, now, camera, size);
  return (
    <g class="st-loads">
      {marks.map((mark) => {
        const at = where(mark.at);
        if (!at) return null;
        const chosen = selected.value?.name === mark.id && selected.value.kind === (mark.kind === "mass" ? "links" : "forces");
        return (
          <g key={`${mark.kind} ${mark.id}`} class={`st-${mark.kind} ${chosen ? "st-chosen" : ""}`} data-load={mark.id}
            data-part={mark.kind === "mass" ? `link:${mark.id}` : `load:${mark.id}`}>
            {drawn(mark, at)}
          </g>
        );
      })}
    </g>
  );

  function drawn(mark: Mark, [x, y]: Point) {
    switch (mark.kind) {
      case "mass":
        return (
          <>
            <title>{`${mark.id}: ${number(mark.mass, 4)} kg${sizeOf(mark.way) ? `, weighs ${inThousands(sizeOf(mark.way), "N")}` : ""}`}</title>
            <Arrow arrow={arrowOfForce([x, y], mark.way, heaviest, WEIGHT, false)} />
            <circle cx={x} cy={y} r={MASS} class="st-body" />
            <path d={`M${x} ${y}V${y - MASS}A${MASS} ${MASS} 0 0 1 ${x + MASS} ${y}ZM${x} ${y}V${y + MASS}A${MASS} ${MASS} 0 0 1 ${x - MASS} ${y}Z`} class="st-filled" />
          </>
        );
      case "force":
        return (
          <>
            <Arrow arrow={arrowOfForce([x, y], forceOf(mark, now), strongest, LOAD, true)} />
            <Text {...toldOf(mark, [x, y], now, strongest)} />
          </>
        );
      case "moment":
        return (
          <>
            <Turn at={[x, y]} sense={Math.sign(mark.size) || 1} />
            <Text {...toldOf(mark, [x, y], now, strongest)} />
          </>
        );
      case "torsion":
        return (
          <>
            <title>{`${mark.id}: torsion spring`}</title>
            <Line d={spiral([x, y])} />
          </>
        );
      case "friction":
        return (
          <>
            <title>{`${mark.id}: friction`}</title>
            <Line d={`M${x - 15} ${y + 13}H${x + 15}${[-9, -3, 3, 9].map((k) => `M${x + k + 3} ${y + 13}L${x + k - 3} ${y + 19}`).join("")}`} />
          </>
        );
      case "contact":
        return (
          <>
            <title>{`${mark.id}: contact`}</title>
            {mark.circles.map(([link, cx, cy, radius], k) => {
              const middle = where([link, cx, cy]);
              return middle && <circle key={k} cx={middle[0]} cy={middle[1]} r={Math.max(radius * camera!.scale, 4)} class="st-touch" />;
            })}
          </>
        );
    }
  }
}

/** A line with a wide edge that takes the pointer. */
function Line({ d }: { d: string }) {
  return (
    <>
      <path d={d} class="st-hold" />
      <path d={d} />
    </>
  );
}

function Arrow({ arrow }: { arrow: [from: Point, way: Point] | null }) {
  if (!arrow) return null;
  const { line, head } = arrowOf(...arrow);
  return (
    <>
      <Line d={line} />
      <path d={head} class="st-filled" />
    </>
  );
}

function Text({ text, at: [x, y], anchor }: Told) {
  return <text x={x} y={y} text-anchor={anchor}>{text}</text>;
}

function Turn({ at: [x, y], sense }: { at: Point; sense: number }) {
  const point = (degrees: number): Point => {
    const angle = (degrees * Math.PI) / 180;
    return [x + TURN * Math.cos(angle), y - sense * TURN * Math.sin(angle)];
  };
  const [from, to, back] = [point(-120), point(120), point(80)];
  const { head } = arrowOf(back, [to[0] - back[0], to[1] - back[1]]);
  return (
    <>
      <Line d={`M${from}A${TURN} ${TURN} 0 1 ${sense > 0 ? 0 : 1} ${to}`} />
      <path d={head} class="st-filled" />
    </>
  );
}

function spiral([x, y]: Point): string {
  const points = Array.from({ length: 40 }, (_, k) => {
    const [angle, radius] = [(k / 39) * 5 * Math.PI, 4 + (k / 39) * 9];
    return `${x + radius * Math.cos(angle)} ${y + radius * Math.sin(angle)}`;
  });
  return `M${points.join("L")}`;
}
