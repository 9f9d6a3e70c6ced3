// Better numbers of the drawing: which may change between which bounds, and what is wished of the motion.
import { signal } from "@preact/signals";
import { NumberField, read } from "./fields";
import { selected, tell } from "./store";
import type { State } from "./types";
import { Draws, find, FindButton, Table } from "./wish";
import { path, setPath } from "./wish_store";

type Names = "point" | "link" | "driver" | "joint or link";
interface Key {
  key: string;
  /** Names of the drawing, numbers with commas, one number, a sample, a coordinate, the path that is drawn, or a box. */
  what: Names | "numbers" | "length" | "angle or length" | "sample" | "axis" | "path" | "flag";
  words: string;
}
const name = (key: string, what: Names): Key => ({ key, what, words: what });
const peak: Key = { key: "peak", what: "flag", words: "its largest value alone counts" };

/** The measures of a file of `structkin optimise`, and what each asks for (structkin/design/optimise_file.py). */
const MEASURES: Record<string, { words: string; keys: Key[] }> = {
  path: { words: "a point follows the path that is drawn", keys: [name("point", "point"), { key: "places", what: "path", words: "places" }] },
  angle: { words: "a link has these angles", keys: [name("link", "link"), { key: "values", what: "numbers", words: "angles, one for each sample" }] },
  travel: { words: "a slider has these travels", keys: [name("joint", "joint or link"), { key: "values", what: "numbers", words: "travels, one for each sample" }] },
  stroke: { words: "a slider or link has this stroke", keys: [name("of", "joint or link"), { key: "wanted", what: "angle or length", words: "stroke" }] },
  dwell: {
    words: "a slider or link rests",
    keys: [name("of", "joint or link"), { key: "first", what: "sample", words: "from sample" }, { key: "last", what: "sample", words: "to sample" }],
  },
  coordinate: { words: "a coordinate of a point is near zero", keys: [name("point", "point"), { key: "axis", what: "axis", words: "coordinate" }] },
  extent: { words: "the mechanism is small", keys: [] },
  effort: { words: "a driver needs little effort", keys: [name("driver", "driver"), { key: "static", what: "flag", words: "at rest" }, peak] },
  shaking_force: { words: "it shakes the ground little: force", keys: [peak] },
  shaking_moment: { words: "it shakes the ground little: moment", keys: [peak] },
};

/** A number that may change, and its bounds as they are typed. */
const parameters = signal<Record<string, [low: string, high: string]>>({});
const measure = signal("stroke");
const given = signal<Record<string, string>>({});
const least = signal<number | undefined>(undefined);
const samples = signal(73);

/** The numbers of the drawing that may change, with their values. */
function numbersOf({ sketch }: State): Record<string, number> {
  const all: Record<string, number> = {};
  for (const members of Object.values(sketch.links))
    members.forEach((a, k) => members.slice(k + 1).forEach((b) => {
      const [[x, y], [u, v]] = [sketch.points[a] ?? [0, 0], sketch.points[b] ?? [0, 0]];
      all[`lengths.${a}-${b}`] ??= sketch.lengths[`${a}-${b}`] ?? sketch.lengths[`${b}-${a}`] ?? Math.hypot(u - x, v - y);
    }));
  for (const [point, [x, y]] of Object.entries(sketch.points)) [all[`points.${point}.x`], all[`points.${point}.y`]] = [x, y];
  return all;
}

export function BetterForm({ now }: { now: State }) {
  const all = numbersOf(now);
  const chosen = Object.keys(parameters.value).filter((one) => one in all);
  const add = (names: string[]) => {
    const added = names.filter((one) => one in all && !(one in parameters.peek()));
    const bounds = (one: string): [string, string] => {
      const [value, room] = [all[one]!, one.startsWith("lengths.") ? 0.4 * all[one]! : 0.2 * now.sketch.size];
      return [value - room, value + room].map((end) => String(Number(end.toPrecision(3)))) as [string, string];
    };
    parameters.value = { ...parameters.peek(), ...Object.fromEntries(added.map((one) => [one, bounds(one)])) };
  };
  const { kind, name: own } = selected.value ?? {};
  const members = kind === "links" ? (now.sketch.links[own!] ?? []) : [];
  const ofSelection = kind === "points"
    ? [`points.${own}.x`, `points.${own}.y`]
    : Object.keys(all).filter((one) => one.startsWith("lengths.") && one.slice(8).split("-").every((point) => members.includes(point)));
  const keys = MEASURES[measure.value]!.keys;
  const start = () => {
    const bounds: Record<string, number[]> = {};
    for (const one of chosen) {
      const ends = parameters.peek()[one]!.map((text) => read(text, "coordinate", now.sketch.unit));
      if (ends.some((end) => end === null)) return tell(`${one}: its bounds must be two numbers`, true);
      bounds[one] = ends as number[];
    }
    const objective: Record<string, unknown> = { measure: measure.peek() };
    for (const { key, what, words } of keys) {
      const text = given.peek()[key]?.trim() ?? "";
      if (what === "path") objective[key] = path.peek();
      else if (what === "flag") objective[key] = text === "true";
      else if (what === "numbers") objective[key] = text.split(/[\s,;]+/).filter(Boolean).map((part) => (Number.isNaN(Number(part)) ? part : Number(part)));
      else if (what === "sample") objective[key] = Number(text);
      else if (!text && what !== "angle or length") return tell(`${words}: choose one`, true);
      else if (text) objective[key] = text.match(/^[-+\d.]+$/) && what === "angle or length" ? Number(text) : text;
    }
    const count = keys.some(({ what }) => what === "path" || what === "numbers") ? undefined : samples.peek();
    find({ aim: "better", parameters: bounds, objective, transmission: least.peek(), samples: count });
  };
  return (
    <>
      <p class="st-quiet">Choose lengths and points that may change, and what should become better.</p>
      <label class="st-field">
        <span>may change</span>
        <select aria-label="May change" value="" onChange={({ currentTarget }) => add([currentTarget.value])}>
          <option value="">choose …</option>
          {Object.keys(all).filter((one) => !chosen.includes(one)).map((one) => <option key={one}>{one}</option>)}
        </select>
      </label>
      {ofSelection.length > 0 && <button type="button" class="st-chip" onClick={() => add(ofSelection)}>Add those of {own}</button>}
      {chosen.map((one) => (
        <div key={one} class="st-row st-bounds" role="group" aria-label={one}>
          <span title={`now ${Number(all[one]!.toPrecision(5))} ${now.sketch.unit}`}>{one}</span>
          {([0, 1] as const).map((k) => (
            <input key={k} inputMode="decimal" aria-label={`${one}, ${k ? "highest" : "lowest"}`} value={parameters.value[one]![k]}
              onChange={({ currentTarget }) => (parameters.value = { ...parameters.peek(), [one]: parameters.peek()[one]!.map((old, other) => (other === k ? currentTarget.value : old)) as [string, string] })} />
          ))}
          <button type="button" class="st-chip" aria-label={`Keep ${one}`} onClick={() => (parameters.value = Object.fromEntries(Object.entries(parameters.peek()).filter(([other]) => other !== one)))}>×</button>
        </div>
      ))}
      <label class="st-field">
        <span>wish</span>
        <select aria-label="What should become better" value={measure.value} onChange={({ currentTarget }) => (measure.value = currentTarget.value)}>
          {Object.entries(MEASURES).map(([one, { words }]) => <option key={one} value={one}>{words}</option>)}
        </select>
      </label>
      {keys.map((one) => <KeyField key={one.key} now={now} asks={one} />)}
      <NumberField label="transmission angle, least" quantity="angle" value={least.value} unit={now.sketch.angle} onSet={(value) => (least.value = value)} onClear={() => (least.value = undefined)} />
      {!keys.some(({ what }) => what === "path" || what === "numbers") && (
        <NumberField label="samples of the motion" quantity="plain" value={samples.value} unit="" onSet={(value) => (samples.value = Math.round(value))} />
      )}
      <FindButton disabled={!chosen.length} onFind={start}>Improve</FindButton>
    </>
  );
}

/** What a measure asks for. */
function KeyField({ now, asks: { key, what, words } }: { now: State; asks: Key }) {
  const value = given.value[key] ?? "";
  const set = (next: string) => (given.value = { ...given.peek(), [key]: next });
  const { sketch, structure } = now;
  if (what === "path") {
    return (
      <div class="st-row">
        <span class="st-quiet">{path.value.length} points, at equal times</span>
        <Draws with="path">Draw</Draws>
        <Table />
        <button type="button" disabled={!path.value.length} onClick={() => setPath([])}>Clear</button>
      </div>
    );
  }
  if (what === "flag") {
    return (
      <label class="st-check">
        <input type="checkbox" checked={value === "true"} onChange={({ currentTarget }) => set(String(currentTarget.checked))} />
        {words}
      </label>
    );
  }
  const links = Object.keys(sketch.links).filter((link) => link !== "ground");
  const choices: Partial<Record<Key["what"], string[]>> = {
    point: Object.keys(sketch.points),
    link: links,
    driver: structure?.drivers.map(({ id }) => id) ?? [],
    "joint or link": [...links, ...(structure?.joints.filter((joint) => !joint.kind.startsWith("R")).map(({ id }) => id) ?? [])],
    axis: ["x", "y"],
  };
  return (
    <label class="st-field">
      <span>{words}</span>
      {choices[what] ? (
        <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
          <option value="">choose …</option>
          {choices[what].map((one) => <option key={one}>{one}</option>)}
        </select>
      ) : (
        <input value={value} onChange={({ currentTarget }) => set(currentTarget.value)} />
      )}
    </label>
  );
}
