// The mass of a link: given, or that of a uniform rod or plate of a material.
import { NumberField, type Quantity } from "./fields";
import { edit, refusals } from "./store";
import type { Entry, State } from "./types";

/** Densities of materials [kg/m^3], and the usual sections: of a rod 20 mm by 5 mm, a plate 5 mm thick. */
const MATERIALS = { steel: 7850, aluminium: 2700, brass: 8500, titanium: 4430, "PLA (printed)": 1240, acrylic: 1190, plywood: 680, oak: 700 };
const SECTION = { rod: 20e-3 * 5e-3, plate: 5e-3 };
type Shape = keyof typeof SECTION;
const densityOf = (material: keyof typeof MATERIALS, shape: Shape) => Number((MATERIALS[material] * SECTION[shape]).toPrecision(4));
const SHAPES = { point: "none: given numbers", rod: "rod", plate: "plate" };

export function MassFields({ now, name }: { now: State; name: string }) {
  const given = now.document.links?.[name];
  const entry: Entry = Array.isArray(given) ? { points: given } : (given ?? {});
  const set = (change: Record<string, unknown>, ...gone: string[]) => {
    const next = Object.entries({ ...entry, ...change }).filter(([key, value]) => value !== undefined && !gone.includes(key));
    edit({ op: "put", section: "links", name, entry: Object.fromEntries(next) }, undefined, true);
  };
  const shape = entry.shape === "rod" || entry.shape === "plate" ? entry.shape : null;
  const unit = now.document.units?.mass ?? "kg";
  // a rod or plate without a mass would be no mechanism: it is of steel until something else is given
  const take = (to: Shape) => set({ shape: to, ...(entry.mass === undefined ? { density: densityOf("steel", to) } : {}) }, "center", "inertia");
  const field = (label: string, key: string, quantity: Quantity, words: string, ...gone: string[]) => (
    <NumberField label={label} quantity={quantity} value={entry[key] as number} unit={words} onSet={(value) => set({ [key]: value }, ...gone)} onClear={() => set({}, key)} />
  );
  const center = Array.isArray(entry.center) ? entry.center : null;
  const middle = middleOf(now, name);
  return (
    <details class="st-mass" open={Object.keys(entry).length > 1}>
      <summary>Mass</summary>
      <label class="st-field">
        <span>shape</span>
        <select key={refusals.value} value={shape ?? "point"} onChange={({ currentTarget: { value } }) => (value === "point" ? set({}, "shape", "density") : take(value as Shape))}>
          {Object.entries(SHAPES).map(([key, words]) => <option key={key} value={key}>{words}</option>)}
        </select>
      </label>
      {field("mass", "mass", "mass", unit, "density")}
      {shape && (
        <>
          {field("density", "density", "plain", shape === "rod" ? "kg/m" : "kg/m²", "mass")}
          <label class="st-field">
            <span>material</span>
            <select value="" onChange={({ currentTarget: { value } }) => value && set({ density: densityOf(value as keyof typeof MATERIALS, shape) }, "mass")}>
              <option value="">{shape === "rod" ? "of 20 mm by 5 mm …" : "5 mm thick …"}</option>
              {Object.keys(MATERIALS).map((one) => <option key={one}>{one}</option>)}
            </select>
          </label>
        </>
      )}
      {!shape && (
        <>
          <div class="st-row">
            {(["x", "y"] as const).map((axis, k) => (
              <NumberField key={axis} label={`centre ${axis}`} quantity="coordinate" value={center ? Number(center[k]) : undefined} unit={now.sketch.unit}
                onSet={(value) => set({ center: Object.assign([...(center ?? middle)], { [k]: value }) })} onClear={() => set({}, "center")} />
            ))}
          </div>
          {!center && <button type="button" class="st-chip" onClick={() => set({ center: middle })}>Centre in the middle of its points</button>}
          {field("inertia", "inertia", "plain", "kg m²")}
        </>
      )}
    </details>
  );
}

/** Return the middle of the points of a link in the sketch. */
function middleOf({ sketch }: State, name: string): number[] {
  const places = (sketch.links[name] ?? []).flatMap((point) => (sketch.points[point] ? [sketch.points[point]] : []));
  return [0, 1].map((k) => Number((places.reduce((sum, place) => sum + place[k]!, 0) / (places.length || 1)).toPrecision(6)));
}
