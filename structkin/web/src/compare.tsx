// Several points or links in one plot, of one quantity.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { colourOf } from "./overlays";
import { type Curve, Plot } from "./plot";
import type { Player } from "./player";
import { placesOf, type Report } from "./report_types";
import type { Numbers } from "./types";

/** Dashes of curves that have the same colour, as points of one link do. */
const DASHES: (number[] | undefined)[] = [undefined, [6, 4], [2, 3], [8, 3, 2, 3], [12, 4]];

interface Quantity {
  title: string;
  unit: string;
  of: "points" | "links";
  /** The values of each part that has this quantity. */
  values: (name: string) => Numbers | undefined;
}

export function Compare({ view, player, driver }: { view: Report; player: Player; driver: number }) {
  const every = useMemo(() => quantitiesOf(view, driver), [view, driver]);
  const chosen = useMemo(() => ({ title: signal(every[0]?.title), names: signal<ReadonlySet<string>>(new Set(view.plots![every[0]?.of ?? "points"].slice(0, 2))) }), [view]);
  const quantity = every.find(({ title }) => title === chosen.title.value) ?? every[0];
  if (!quantity) return null;
  const names = view.plots![quantity.of].filter((name) => quantity.values(name));
  const picked = names.filter((name) => chosen.names.value.has(name));
  const key = picked.join("\n");
  const curves = useMemo(() => curvesOf(view, quantity, picked), [view, quantity, key]);
  const choose = (title: string) => {
    const next = every.find((entry) => entry.title === title)!;
    if (next.of !== quantity.of) chosen.names.value = new Set(view.plots![next.of].slice(0, 2));
    chosen.title.value = title;
  };
  const toggle = (name: string, on: boolean) => {
    const kept = [...chosen.names.value].filter((other) => other !== name);
    chosen.names.value = new Set(on ? [...kept, name] : kept);
  };
  const options = (of: Quantity["of"]) => every.filter((entry) => entry.of === of).map(({ title }) => <option key={title}>{title}</option>);
  return (
    <div class="sk-compare">
      <h3>Several in one plot</h3>
      <label class="sk-choice sk-on-screen">
        Quantity
        <select value={quantity.title} onChange={(event) => choose(event.currentTarget.value)}>
          <optgroup label="points">{options("points")}</optgroup>
          <optgroup label="links">{options("links")}</optgroup>
        </select>
      </label>
      <div class="sk-layers" role="group" aria-label={`${quantity.of} in the plot`}>
        {names.map((name) => (
          <label key={name}>
            <input type="checkbox" checked={picked.includes(name)} onChange={(event) => toggle(name, event.currentTarget.checked)} />
            {name}
          </label>
        ))}
      </div>
      {curves.length > 0
        ? <Plot title={quantity.title} unit={quantity.unit} x={view.plots!.x} curves={curves} player={player} height={240} />
        : <p class="sk-none">Choose one or more {quantity.of}.</p>}
    </div>
  );
}

/** Return the quantities that a page has values of. */
function quantitiesOf(view: Report, driver: number): Quantity[] {
  const { rates, coefficients } = view;
  const { units, angles } = view.plots!;
  const found: Quantity[] = [];
  const add = (of: Quantity["of"], title: string, unit: string, values: Quantity["values"]) => found.push({ of, title, unit, values });
  ["x", "y"].forEach((name, axis) => add("points", `position, ${name}`, units.length, (point) => placesOf(view, point)[axis]));
  if (rates)
    for (const [letter, title, unit] of [["v", "velocity", units.speed], ["a", "acceleration", units.acceleration]] as const) {
      add("points", `magnitude of ${title}`, unit, (name) => rates.points[name] && magnitudes(rates.points[name][`${letter}x`], rates.points[name][`${letter}y`]));
      for (const axis of ["x", "y"] as const) add("points", `${title}, ${axis}`, unit, (name) => rates.points[name]?.[`${letter}${axis}`]);
    }
  add("links", "angle", units.angle, (name) => angles[name]);
  if (rates) {
    add("links", "angular velocity", units.omega, (name) => rates.links[name]?.omega);
    add("links", "angular acceleration", units.alpha, (name) => rates.links[name]?.alpha);
  }
  if (coefficients) {
    const { points, links, units: of } = coefficients;
    ["x", "y"].forEach((axis, k) => add("points", `K, ${axis}`, of.point?.[driver] ?? "", (name) => points[name]?.K[driver]![k]));
    add("links", "K", of.link?.[driver] ?? "", (name) => links[name]?.K[driver]![0]);
  }
  return found.filter(({ of, values }) => view.plots![of].some(values));
}

/** Return the magnitudes of vectors. */
export function magnitudes(x: Numbers, y: Numbers): Numbers {
  return x.map((value, k) => (value === null || y[k] == null ? null : Math.hypot(value, y[k]!)));
}

/** Return a curve of each part, in the colour of its link; a second one of that colour is dashed. */
function curvesOf(view: Report, quantity: Quantity, names: string[]): Curve[] {
  const uses = new Map<string, number>();
  return names.map((name) => {
    const colour = quantity.of === "links" ? colourOf(view, name) : (view.points.find((point) => point.name === name)?.colour ?? "#555555");
    const use = uses.get(colour) ?? 0;
    uses.set(colour, use + 1);
    return { name, values: quantity.values(name)!, colour, dash: DASHES[use % DASHES.length] };
  });
}
