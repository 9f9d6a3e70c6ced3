// Plots of one point and one link: position, velocity, acceleration, K and L; and transmission angles and forces.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Compare, magnitudes } from "./compare";
import { colourOf } from "./overlays";
import { type Curve, Plot } from "./plot";
import type { Player } from "./player";
import { posed } from "./pose";
import { placesOf, type Report } from "./report_types";
import type { Numbers } from "./types";
import { number, unitWords } from "./words";

const DASH = [5, 4];
const NEUTRAL = "#7a8794";
/** Colours of curves that belong to no link: those of the groups' palette. */
export const PALETTE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#882255", "#999933", "#332288", "#44AA99", "#8C510A"];

/** The curves of the two components of a vector, and of its magnitude. */
export function vector(x: Numbers, y: Numbers, colour: string, whole: boolean): Curve[] {
  const parts = [{ name: "x", values: x, colour }, { name: "y", values: y, colour, dash: DASH }];
  return whole ? [...parts, { name: "magnitude", values: magnitudes(x, y), colour: NEUTRAL, faint: true }] : parts;
}

/** Return a sentence about the points and links of which a page has no curves or rows. */
export const leftOut = (what: string, of?: { left_out: string[] } | null) =>
  of?.left_out.length ? ` ${what} of ${of.left_out.join(", ")} are left out: the page would be too large.` : "";

export function PlotsSection({ view, player }: { view: Report; player: Player }) {
  const { plots, rates, coefficients } = view;
  const chosen = useMemo(() => ({ point: signal(plots!.points[0] ?? ""), link: signal(plots!.links[0] ?? ""), driver: signal(0) }), [view]);
  const { x, units, points, links, angles } = plots!;
  const [point, link] = [chosen.point.value, chosen.link.value];
  const driver = chosen.driver.value;
  const pair = coefficients?.pairs.findIndex(([a, b]) => a === coefficients.drivers[driver] && b === a) ?? 0;
  const ofPoint = useMemo(() => {
    const entry = view.points.find(({ name }) => name === point);
    if (!entry) return [];
    const colour = entry.colour;
    const [px, py] = placesOf(view, point);
    const own = rates?.points[point];
    const kl = coefficients?.points[point];
    return [
      { title: "position", unit: units.length, curves: vector(px, py, colour, false) },
      own && { title: "velocity", unit: units.speed, curves: vector(own.vx, own.vy, colour, true) },
      own && { title: "acceleration", unit: units.acceleration, curves: vector(own.ax, own.ay, colour, true) },
      kl && { title: "K, by the driver", unit: coefficients!.units.point![driver]!, curves: vector(kl.K[driver]![0]!, kl.K[driver]![1]!, colour, false) },
      kl && { title: "L = dK/dz", unit: coefficients!.units.point_pairs![pair]!, curves: vector(kl.L[pair]![0]!, kl.L[pair]![1]!, colour, false) },
    ].filter((entry) => entry !== undefined);
  }, [view, point, driver]);
  const ofLink = useMemo(() => {
    if (!link) return [];
    const colour = colourOf(view, link);
    const one = (values: Numbers): Curve[] => [{ name: link, values, colour }];
    const own = rates?.links[link];
    const kl = coefficients?.links[link];
    return [
      { title: "angle", unit: units.angle, curves: one(angles[link]!) },
      own && { title: "angular velocity", unit: units.omega, curves: one(own.omega) },
      own && { title: "angular acceleration", unit: units.alpha, curves: one(own.alpha) },
      kl && { title: "K, by the driver", unit: coefficients!.units.link![driver]!, curves: one(kl.K[driver]![0]!) },
      kl && { title: "L = dK/dz", unit: coefficients!.units.link_pairs![pair]!, curves: one(kl.L[pair]![0]!) },
    ].filter((entry) => entry !== undefined);
  }, [view, link, driver]);
  return (
    <section id="plots" class="sk-card">
      <h2>Plots</h2>
      <p class="sk-intro">
        <span class="sk-on-screen">Click a plot to move the mechanism to that sample.</span>
        {points.length === 0 && " No point moves; the plots show the links."}
        {!rates && !plots!.without_rates && ` Rates are unknown because ${posed(view.samples!) ? "the speeds of the drivers are not given" : "no sample has a pose"}.`}
        {leftOut("Velocities and accelerations", rates)}
        {leftOut("K and L", coefficients)}
      </p>
      {coefficients && coefficients.drivers.length > 1 && (
        <Choice
          label="K and L by driver"
          names={coefficients.drivers}
          value={coefficients.drivers[driver]!}
          choose={(name) => (chosen.driver.value = coefficients.drivers.indexOf(name))}
        />
      )}
      <div class="sk-columns">
        {points.length > 0 && (
          <div>
            <div class="sk-whole">
              <Choice label="Point" names={points} value={point} choose={(name) => (chosen.point.value = name)} />
              {ofPoint.slice(0, 1).map((plot) => <Plot key={plot.title} {...plot} x={x} player={player} />)}
            </div>
            {ofPoint.slice(1).map((plot) => <Plot key={plot.title} {...plot} x={x} player={player} />)}
          </div>
        )}
        {links.length > 0 && (
          <div>
            <div class="sk-whole">
              <Choice label="Link" names={links} value={link} choose={(name) => (chosen.link.value = name)} />
              {ofLink.slice(0, 1).map((plot) => <Plot key={plot.title} {...plot} x={x} player={player} />)}
            </div>
            {ofLink.slice(1).map((plot) => <Plot key={plot.title} {...plot} x={x} player={player} />)}
          </div>
        )}
      </div>
      <Compare view={view} player={player} driver={driver} />
    </section>
  );
}

export function Choice({ label, names, value, choose }: { label: string; names: string[]; value: string; choose: (name: string) => void }) {
  return (
    <label class="sk-choice">
      {label}
      <select aria-label={label} value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {names.map((name) => <option key={name}>{name}</option>)}
      </select>
    </label>
  );
}

export function TransmissionSection({ view, player }: { view: Report; player: Player }) {
  const { unit, right, curves } = view.transmission!;
  const drawn = useMemo(
    () => curves.map(({ group, values }) => ({ name: `group ${group + 1}`, values, colour: view.groups[group]!.colour })),
    [view],
  );
  const marks = useMemo(() => [right / 2.25, right, 2 * right - right / 2.25], [view]);
  return (
    <section id="transmission" class="sk-card">
      <h2>Transmission angle</h2>
      <p class="sk-intro">
        A dyad transmits best at a right angle, and not at all at 0 or {number(2 * right)}{unitWords(unit)}. Dotted: the right angle, and
        the usual limits of {number(right / 2.25)}{unitWords(unit)} and {number(2 * right - right / 2.25)}{unitWords(unit)}.
      </p>
      <Plot title="transmission angle" unit={unit} x={view.plots!.x} curves={drawn} player={player} height={210} marks={marks} range={[0, 2 * right]} />
      <ul class="sk-facts">
        {curves.map(({ group, least, worst }) => (
          <li key={group}>
            Group {group + 1} ({view.groups[group]!.links.join(", ")}): worst {number(least)}{unitWords(unit)} from a dead position, at{" "}
            <button type="button" class="sk-link" onClick={() => { player.playing.value = false; player.index.value = worst; }}>
              {view.plots!.x.name} = {number(view.plots!.x.values[worst])}{unitWords(view.plots!.x.unit)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ForcesSection({ view, player }: { view: Report; player: Player }) {
  const { panels, notes } = view.forces!;
  const drawn = useMemo(
    () => panels.map((panel) => ({ ...panel, curves: panel.curves.map((curve, k) => ({ ...curve, colour: PALETTE[k % PALETTE.length]! })) })),
    [view],
  );
  return (
    <section id="forces" class="sk-card">
      <h2>Forces and energy</h2>
      {notes.map((note) => <p key={note} class="sk-intro">{note}</p>)}
      <div class="sk-plots">
        {drawn.map((panel) => <Plot key={panel.title} {...panel} x={view.plots!.x} player={player} />)}
      </div>
    </section>
  );
}
