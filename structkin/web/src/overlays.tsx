// What is drawn with a mechanism: traces, velocities, accelerations and forces.
import { useContext } from "preact/hooks";
import { pixel } from "./camera";
import type { Player } from "./player";
import { poseAt, spot } from "./pose";
import type { Report } from "./report_types";
import { StageContext } from "./scene";
import { pathOf } from "./shapes";
import type { Numbers, Point, View } from "./types";

/** The paths of the points that leave one, in mechanism units. */
export function Traces({ view }: { view: View }) {
  const samples = view.samples!;
  const poses = Array.from({ length: samples.n }, (_, k) => poseAt(samples, k));
  return (
    <g class="sk-traces">
      {view.points.filter((point) => point.trace).map(({ name, link, at, colour }) => (
        <path key={name} data-trace={name} d={pathOf(poses.map((pose) => spot(pose, [link, ...at])))} stroke={colour} />
      ))}
    </g>
  );
}

export interface Arrow {
  name: string;
  from: Point;
  /** Along the plane's axes, in a unit of its own. */
  way: Point;
}

/** Arrows of one quantity; the largest is as long as `longest` pixels. */
export function Arrows({ arrows, largest, longest, name }: { arrows: Arrow[]; largest: number; longest: number; name: string }) {
  const stage = useContext(StageContext)!;
  const [camera, size] = [stage.camera.value, stage.size.value];
  if (!camera || !largest) return null;
  return (
    <g class={`sk-arrows ${name}`}>
      {arrows.map((arrow) => {
        const [x, y] = pixel(camera, size, arrow.from);
        const [dx, dy] = [(arrow.way[0] / largest) * longest, (-arrow.way[1] / largest) * longest];
        const length = Math.hypot(dx, dy);
        if (!(length > 3)) return null;
        const [ux, uy] = [dx / length, dy / length];
        const head = Math.min(8, 0.6 * length);
        const [bx, by] = [x + dx - head * ux, y + dy - head * uy];
        const side = 0.42 * head;
        return (
          <g key={arrow.name} data-arrow={arrow.name}>
            <path d={`M${x} ${y}L${bx} ${by}`} />
            <path class="sk-head" d={`M${x + dx} ${y + dy}L${bx - side * uy} ${by + side * ux}L${bx + side * uy} ${by - side * ux}Z`} />
          </g>
        );
      })}
    </g>
  );
}

/** Velocity or acceleration of all points. */
export function Rates({ view, player, of }: { view: Report; player: Player; of: "v" | "a" }) {
  const points = view.rates!.points;
  const k = player.index.value;
  const pose = player.pose.value;
  const largest = largestOf(Object.values(points).map((rates) => [rates[`${of}x`], rates[`${of}y`]]));
  const arrows = view.points.flatMap((point): Arrow[] => {
    const rates = points[point.name];
    const from = rates && spot(pose, [point.link, ...point.at]);
    const [x, y] = [rates?.[`${of}x`][k], rates?.[`${of}y`][k]];
    return from && x != null && y != null ? [{ name: point.name, from, way: [x, y] }] : [];
  });
  return <Arrows arrows={arrows} largest={largest} longest={90} name={of === "v" ? "sk-velocity" : "sk-acceleration"} />;
}

/** The forces that joints put on links. */
export function Reactions({ view, player }: { view: Report; player: Player }) {
  const { arrows } = view.forces!;
  const k = player.index.value;
  const largest = largestOf(arrows.map(({ fx, fy }) => [fx, fy]));
  const shown = arrows.flatMap(({ joint, link, x, y, fx, fy }): Arrow[] => {
    const numbers = [x[k], y[k], fx[k], fy[k]];
    if (numbers.some((value) => value == null)) return [];
    const [px, py, wx, wy] = numbers as number[];
    return [{ name: `${joint} ${link}`, from: [px!, py!], way: [wx!, wy!] }];
  });
  return <Arrows arrows={shown} largest={largest} longest={100} name="sk-force" />;
}

function largestOf(pairs: [Numbers, Numbers][]): number {
  let largest = 0;
  for (const [x, y] of pairs) x.forEach((value, k) => (largest = Math.max(largest, Math.hypot(value ?? 0, y[k] ?? 0))));
  return largest;
}

export function colourOf(view: View, link: string): string {
  return view.links.find(({ name }) => name === link)?.colour ?? "#555555";
}
