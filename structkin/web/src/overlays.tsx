// Overlays of a mechanism: paths, velocities, accelerations and forces.
import { useContext, useMemo } from "preact/hooks";
import { arrowOf } from "./arrows";
import { pixel } from "./camera";
import type { Player } from "./player";
import { poseAt, spot } from "./pose";
import type { Report } from "./report_types";
import { StageContext } from "./scene";
import { pathOf } from "./shapes";
import type { Numbers, Point, View } from "./types";
import { number, unitWords } from "./words";

/** The paths of the marked points, in mechanism units. */
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
        if (!(Math.hypot(dx, dy) > 3)) return null;
        const { line, head } = arrowOf([x, y], [dx, dy]);
        return (
          <g key={arrow.name} data-arrow={arrow.name}>
            <path d={line} />
            <path class="sk-head" d={head} />
          </g>
        );
      })}
    </g>
  );
}

/** A quantity that is drawn as arrows. */
export interface Scale {
  class: string;
  label: string;
  unit: string;
  largest: number;
  /** Pixels of the largest arrow. */
  longest: number;
}

/** Return the scale of velocities or accelerations. */
export function rateScale(view: Report, of: "v" | "a"): Scale {
  const largest = largestOf(Object.values(view.rates!.points).map((rates) => [rates[`${of}x`], rates[`${of}y`]]));
  const { speed, acceleration } = view.plots!.units;
  return of === "v"
    ? { class: "sk-velocity", label: "velocity", unit: speed, largest, longest: 90 }
    : { class: "sk-acceleration", label: "acceleration", unit: acceleration, largest, longest: 90 };
}

export const FORCES = {
  joint: { class: "sk-force", label: "force of a joint or cylinder on a link" },
  applied: { class: "sk-applied", label: "applied force, force of a spring, weight" },
};

/** Return the scales of the kinds of forces that there are; one length is the same force in all of them. */
export function forceScales(view: Report): Scale[] {
  const { arrows } = view.forces!;
  const largest = largestOf(arrows.map(({ fx, fy }) => [fx, fy]));
  const kinds = (["joint", "applied"] as const).filter((kind) => arrows.some((arrow) => arrow.kind === kind));
  return kinds.map((kind) => ({ ...FORCES[kind], unit: "N", largest, longest: 100 }));
}

/** What arrows mean, and the arrow of a round number. */
export function Legend({ scales }: { scales: Scale[] }) {
  const known = scales.filter(({ largest }) => largest > 0);
  if (!known.length) return null;
  return (
    <p class="sk-legend">
      {known.map(({ class: name, label, unit, largest, longest }) => {
        const round = below(largest);
        const length = (round / largest) * longest;
        const words = unit === "N" && round >= 1e3 ? `${number(round / 1e3)} kN` : `${number(round)}${unitWords(unit)}`;
        return (
          <span key={label} class={`sk-arrows ${name}`} data-scale={round}>
            <svg width={length + 2} height="10" aria-hidden="true">
              <path d={`M1 5H${length - 6}`} />
              <path class="sk-head" d={`M${length} 5L${length - 8} 1.6V8.4Z`} />
            </svg>{" "}
            {label}: {words}
          </span>
        );
      })}
    </p>
  );
}

/** Return the largest of the numbers 1, 2, 5, 10, 20 ... up to a size. */
function below(size: number): number {
  const ten = 10 ** Math.floor(Math.log10(size));
  return Number((([5, 2, 1].find((k) => k * ten <= size * (1 + 1e-9)) ?? 1) * ten).toPrecision(1));
}

/** Velocity or acceleration of all points. */
export function Rates({ view, player, of }: { view: Report; player: Player; of: "v" | "a" }) {
  const points = view.rates!.points;
  const k = player.index.value;
  const pose = player.pose.value;
  const scale = useMemo(() => rateScale(view, of), [view, of]);
  const arrows = view.points.flatMap((point): Arrow[] => {
    const rates = points[point.name];
    const from = rates && spot(pose, [point.link, ...point.at]);
    const [x, y] = [rates?.[`${of}x`][k], rates?.[`${of}y`][k]];
    return from && x != null && y != null ? [{ name: point.name, from, way: [x, y] }] : [];
  });
  return <Arrows arrows={arrows} largest={scale.largest} longest={scale.longest} name={scale.class} />;
}

/** The forces of joints, cylinders, springs, loads and gravity on links. */
export function Forces({ view, player }: { view: Report; player: Player }) {
  const { arrows } = view.forces!;
  const k = player.index.value;
  const scales = useMemo(() => forceScales(view), [view]);
  const shown = (name: string) =>
    arrows.flatMap(({ kind, joint, link, x, y, fx, fy }): Arrow[] => {
      const numbers = [x[k], y[k], fx[k], fy[k]];
      if (FORCES[kind].class !== name || numbers.some((value) => value == null)) return [];
      const [px, py, wx, wy] = numbers as number[];
      return [{ name: `${joint} ${link}`, from: [px!, py!], way: [wx!, wy!] }];
    });
  return (
    <>
      {scales.map((scale) => <Arrows key={scale.class} arrows={shown(scale.class)} largest={scale.largest} longest={scale.longest} name={scale.class} />)}
    </>
  );
}

function largestOf(pairs: [Numbers, Numbers][]): number {
  let largest = 0;
  for (const [x, y] of pairs) x.forEach((value, k) => (largest = Math.max(largest, Math.hypot(value ?? 0, y[k] ?? 0))));
  return largest;
}

export function colourOf(view: View, link: string): string {
  return view.links.find(({ name }) => name === link)?.colour ?? "#555555";
}
