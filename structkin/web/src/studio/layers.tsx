// What is drawn over the pose on request: velocities, accelerations, instant centres, and the forces that hold it at rest.
import { useContext } from "preact/hooks";
import { pixel } from "../camera";
import { Centre, named } from "../centres";
import { type Arrow, Arrows, colourOf, FORCES, Legend, type Scale } from "../overlays";
import { spot } from "../pose";
import { StageContext } from "../scene";
import type { View } from "../types";
import { turned } from "./draft";
import { dark, type Layer, layered, layers, mode, playing, pose, RUN, scene, setLayers, state } from "./store";
import type { State } from "./types";

const WORDS: Record<Layer, string> = { velocity: "Velocities", acceleration: "Accelerations", centres: "Instant centres", forces: "Forces at rest" };
const RATES = { velocity: { class: "sk-velocity", places: [0, 1], unit: 0 }, acceleration: { class: "sk-acceleration", places: [2, 3], unit: 1 } } as const;
/** Pixels of the longest arrow. */
const LONGEST = 90;

/** The largest value of each layer since the mechanism changed: all of its poses are drawn to one scale. */
const largest: Partial<Record<Layer, number>> = {};
let measured = -1;

/** Return the arrows of the layers that are wanted, each kind with its scale. */
function drawn(view: View): { scale: Scale; arrows: Arrow[] }[] {
  const { rates, forces } = layered.value;
  const { revision } = state.value!;
  if (revision !== measured) [largest.velocity, largest.acceleration, largest.forces] = [0, 0, 0];
  measured = revision;
  const scaled = (layer: Layer, kinds: { class: string; label: string; unit: string; arrows: Arrow[] }[]) => {
    const now = Math.max(0, ...kinds.flatMap(({ arrows }) => arrows.map(({ way }) => Math.hypot(...way))));
    const most = (largest[layer] = Math.max(largest[layer] ?? 0, now));
    return kinds.filter(({ arrows }) => arrows.length).map(({ arrows, ...kind }) => ({ arrows, scale: { ...kind, largest: most, longest: LONGEST } }));
  };
  const found = (["velocity", "acceleration"] as const).flatMap((layer) => {
    if (!rates || !layers.value.names.includes(layer)) return [];
    const { places: [a, b], unit, class: name } = RATES[layer];
    const arrows = view.points.flatMap((point): Arrow[] => {
      const own = rates.points[point.name];
      const from = own && spot(pose.value, [point.link, ...point.at]);
      return from && own[a] !== null && own[b] !== null ? [{ name: point.name, from, way: [own[a], own[b]] }] : [];
    });
    return scaled(layer, [{ class: name, label: layer, unit: rates.units[unit], arrows }]);
  });
  const of = (kind: keyof typeof FORCES) => ({
    ...FORCES[kind],
    unit: "N",
    arrows: (forces ?? []).flatMap(({ kind: one, joint, link, x, y, fx, fy }): Arrow[] =>
      one === kind && x !== null && y !== null && fx !== null && fy !== null ? [{ name: `${joint} ${link}`, from: [x, y], way: [fx, fy] }] : []),
  });
  return [...found, ...scaled("forces", [of("joint"), of("applied")])];
}

export function Layers({ view }: { view: View }) {
  const stage = useContext(StageContext)!;
  const [camera, size] = [stage.camera.value, stage.size.value];
  // they are those of a pose of the drivers, and a simulation goes on without
  if (!camera || playing.value === RUN) return null;
  const { base } = layers.value;
  const centres = Object.entries(layered.value.centres ?? {}).map(([link, place]) => {
    const colour = colourOf(view, link);
    return { link, at: pixel(camera, size, place), colour: dark.value ? turned(colour) : colour, words: base === "ground" ? link : `${link} / ${base}` };
  });
  return (
    <>
      {drawn(view).map(({ scale, arrows }) => (
        <Arrows key={scale.class} arrows={arrows} largest={scale.largest} longest={scale.longest} name={scale.class} />
      ))}
      <g class="sk-centres">
        {named(centres).map((one) => <Centre key={one.link} {...one} />)}
      </g>
    </>
  );
}

/** What can be drawn over the pose, and what its arrows mean. */
export function LayersPanel({ now }: { now: State }) {
  const { names, base } = layers.value;
  if (!now.frames || mode.value === "edit") return null;
  const toggle = (layer: Layer) => setLayers(names.includes(layer) ? names.filter((one) => one !== layer) : [...names, layer]);
  const asks = names.includes("velocity") || names.includes("acceleration");
  return (
    <section data-panel="layers">
      <h2>Show in this pose</h2>
      <div class="st-row">
        {(Object.keys(WORDS) as Layer[]).map((layer) => (
          <label key={layer} class="st-check">
            <input type="checkbox" checked={names.includes(layer)} onChange={() => toggle(layer)} />
            {WORDS[layer]}
          </label>
        ))}
      </div>
      {names.includes("centres") && (
        <label class="st-field">
          <span>Centres relative to</span>
          <select value={base} onChange={({ currentTarget }) => setLayers(names, currentTarget.value)}>
            {Object.keys({ ground: 0, ...now.sketch.links }).map((link) => <option key={link}>{link}</option>)}
          </select>
        </label>
      )}
      {scene.value && <Legend scales={drawn(scene.value).map(({ scale }) => scale)} />}
      {asks && layered.value.rates === null && (
        <p class="st-quiet">The velocities of this pose are not known: each driver needs a speed or a law, and the pose must be one that they lead to. Play, or set the time.</p>
      )}
      {names.includes("centres") && !Object.keys(layered.value.centres ?? {}).length && <p class="st-quiet">No centre is known in this pose, or all are far away.</p>}
      {layered.value.failure && <p class="st-quiet">No forces: {layered.value.failure}</p>}
    </section>
  );
}
