// What is drawn with a mechanism: traces, arrows, instant centres and centrodes.
import { useContext } from "preact/hooks";
import { pixel } from "./camera";
import type { Player } from "./player";
import { matrix, moved, poseAt, spot } from "./pose";
import { at, type Report } from "./report_types";
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

/** The instant centre of each link, in pixels. */
export function Centres({ view, player }: { view: Report; player: Player }) {
  const stage = useContext(StageContext)!;
  const [camera, size] = [stage.camera.value, stage.size.value];
  const k = player.index.value;
  if (!camera) return null;
  return (
    <g class="sk-centres">
      {Object.entries(view.centres!).map(([link, { x, y }]) => {
        const [cx, cy] = [at(x, k), at(y, k)];
        if (cx === null || cy === null) return null;
        const [px, py] = pixel(camera, size, [cx, cy]);
        return (
          <g key={link} data-centre={link} stroke={colourOf(view, link)}>
            <circle cx={px} cy={py} r={5.5} />
            <path d={`M${px - 9} ${py}H${px + 9}M${px} ${py - 9}V${py + 9}`} />
            <text x={px + 10} y={py - 9}>{link}</text>
          </g>
        );
      })}
    </g>
  );
}

/** The fixed centrode of a link, and the moving one, which rolls on it; in mechanism units. */
export function Centrodes({ view, player, link }: { view: Report; player: Player; link: string }) {
  const centre = view.centres![link];
  const samples = view.samples!;
  if (!centre) return null;
  const fixed = centre.x.map((x, k): Point | null => (x === null || centre.y[k] == null ? null : [x, centre.y[k]!]));
  const own = fixed.map((place, k): Point | null => {
    const frame = poseAt(samples, k)[link];
    if (!place || !frame) return null;
    const [c, s] = [Math.cos(frame.angle), Math.sin(frame.angle)];
    const [dx, dy] = [place[0] - frame.x, place[1] - frame.y];
    return [c * dx + s * dy, -s * dx + c * dy];
  });
  const now = matrix(player.pose.value, { link });
  const reach = 4 * Math.hypot(view.box![2] - view.box![0], view.box![3] - view.box![1]);
  return (
    <g class="sk-centrodes" stroke={colourOf(view, link)}>
      <path d={pathOf(unbroken(fixed, reach))} data-centrode="fixed" />
      {now && <path d={pathOf(unbroken(own.map((place) => place && moved(now, place)), reach))} data-centrode="moving" class="sk-moving" />}
    </g>
  );
}

/** Break a curve where it leaps: it has passed through infinity there. */
function unbroken(places: (Point | null)[], reach: number): (Point | null)[] {
  const found: (Point | null)[] = [];
  let before: Point | null = null;
  for (const place of places) {
    if (place && before && Math.hypot(place[0] - before[0], place[1] - before[1]) > reach) found.push(null);
    found.push(place);
    before = place;
  }
  return found;
}

export function colourOf(view: View, link: string): string {
  return view.links.find(({ name }) => name === link)?.colour ?? "#555555";
}
