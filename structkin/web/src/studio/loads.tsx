// Masses and loads as they are drawn over the scene: symbols of one size in pixels, arrows as long as the forces are large.
import { useContext } from "preact/hooks";
import { arrowOf } from "../arrows";
import { pixel } from "../camera";
import { spot } from "../pose";
import { StageContext } from "../scene";
import type { Place, Point } from "../types";
import { inThousands, number } from "../words";
import { pose, selected } from "./store";
import type { Mark } from "./types";

/** Pixels of the longest arrow of a load and of a weight; the shortest is still seen. */
const [LOAD, WEIGHT, LEAST] = [80, 46, 16];
/** Radius of the symbol of a mass, and of the arc of a moment [pixels]. */
const [MASS, TURN] = [7, 19];

const sizeOf = ([x, y]: Point) => Math.hypot(x, y);

export function Loads({ marks }: { marks: Mark[] }) {
  const stage = useContext(StageContext)!;
  const [camera, size, now] = [stage.camera.value, stage.size.value, pose.value];
  if (!camera) return null;
  const largest = (kind: "mass" | "force") => Math.max(0, ...marks.map((mark) => (mark.kind === kind ? sizeOf(mark.way) : 0)));
  const [heaviest, strongest] = [largest("mass"), largest("force")];
  const where = (at: Place): Point | null => {
    const place = spot(now, at);
    return place && pixel(camera, size, place);
  };
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
            {heaviest > 0 && <Arrow at={[x, y]} way={mark.way} largest={heaviest} longest={WEIGHT} />}
            <circle cx={x} cy={y} r={MASS} class="st-body" />
            <path d={`M${x} ${y}V${y - MASS}A${MASS} ${MASS} 0 0 1 ${x + MASS} ${y}ZM${x} ${y}V${y + MASS}A${MASS} ${MASS} 0 0 1 ${x - MASS} ${y}Z`} class="st-filled" />
          </>
        );
      case "force": {
        const turn = mark.local ? (now[mark.at[0]]?.angle ?? 0) : 0;
        const [c, s] = [Math.cos(turn), Math.sin(turn)];
        const way: Point = [c * mark.way[0] - s * mark.way[1], s * mark.way[0] + c * mark.way[1]];
        const text = `${mark.id}: ${inThousands(sizeOf(way), "N")}${mark.varies ? " at first" : ""}`;
        return <Arrow at={[x, y]} way={way} largest={strongest} longest={LOAD} text={text} arrives />;
      }
      case "moment":
        return <Turn at={[x, y]} sense={Math.sign(mark.size) || 1} text={`${mark.id}: ${inThousands(mark.size, "N m")}${mark.varies ? " at first" : ""}`} />;
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

/** An arrow that begins at a place, or ends there, with its text at the far end. */
function Arrow({ at, way, largest, longest, text, arrives }: { at: Point; way: Point; largest: number; longest: number; text?: string; arrives?: boolean }) {
  const size = sizeOf(way);
  if (!size) return text ? <text x={at[0] + 9} y={at[1] - 9}>{text}</text> : null;
  const length = Math.max((size / largest) * longest, LEAST);
  const [dx, dy] = [(way[0] / size) * length, (-way[1] / size) * length];
  const from: Point = arrives ? [at[0] - dx, at[1] - dy] : at;
  const { line, head } = arrowOf(from, [dx, dy]);
  const far = from[0] - 4 * Math.sign(dx);
  return (
    <>
      <Line d={line} />
      <path d={head} class="st-filled" />
      {text && <text x={far} y={from[1] - (dy > 1 ? 6 : dy < -1 ? -14 : 8)} text-anchor={dx > 1 ? "end" : dx < -1 ? "start" : "middle"}>{text}</text>}
    </>
  );
}

function Turn({ at: [x, y], sense, text }: { at: Point; sense: number; text: string }) {
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
      <text x={x} y={y - TURN - 6} text-anchor="middle">{text}</text>
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
