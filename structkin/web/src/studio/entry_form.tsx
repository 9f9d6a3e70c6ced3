// An entry of the file as a form: each key with fields that suit its value, and the keys that may be added.
import { number } from "../words";
import { edit, refusals } from "./store";
import type { Entry, State } from "./types";

type Row = unknown[] | Record<string, unknown>;
export type Fields = "joints" | "drivers" | "forces";

/** Keys whose values are names, and those that are words to choose from. */
const LINKS = new Set(["links", "slot", "on", "cam", "follower", "carrier", "crank", "wheel"]);
const POINTS = new Set(["at", "along", "pin", "center", "centers", "ends", "between", "face"]);
const VECTORS = new Set(["axis", "value", "direction", "law"]);
const WORDS: Record<string, string[]> = {
  frame: ["global", "local"],
  contact: ["roller", "knife-edge", "flat"],
  model: ["lankarani-nikravesh", "exact"],
  motion: ["dwell", "uniform", "harmonic", "cycloidal", "modified sine", "modified trapezoid", "3-4-5", "4-5-6-7"],
};

/** The unit of a number without one. */
const UNITS: Record<string, string> = {
  "spring stiffness": "N/m", "spring damping": "N s/m", "spring actuator": "N", "force value": "N", "moment value": "N m",
  "torsion stiffness": "N m/rad", "torsion damping": "N m s/rad", "torsion actuator": "N m", "force law": "N", "moment law": "N m",
};

/** What may be added to an entry: a key with a value to begin with. Lengths are tenths of the drawing. */
const MORE: Record<string, (length: number) => Record<string, unknown>> = {
  spring: (length) => ({ stiffness: "1 N/mm", free_length: 5 * length, damping: "100 N s/m", actuator: "-100 N" }),
  torsion: () => ({ stiffness: "1 N m/rad", free_angle: 0, damping: "0.1 N m s/rad", actuator: "1 N m" }),
  force: () => ({ value: ["0 N", "-100 N"], law: ["100*sin(t)", "0"], frame: "local" }),
  moment: () => ({ value: "1 N m", law: "sin(t)" }),
  friction: (length) => ({ limit: 1, coefficient: 0.1, radius: length, transition: 0.01 }),
  contact: () => ({ exponent: 1.5, restitution: 0.8, friction: 0.2, model: "exact" }),
  prismatic: (length) => ({ stroke: [-length, length], length }),
  "pin-in-slot": (length) => ({ stroke: [-length, length] }),
  gear: () => ({ teeth: [20, 40], internal: true }),
  belt: () => ({ teeth: [20, 40], crossed: true }),
  cam: (length) => ({ start: 0, base: 3 * length }),
  driver: () => ({ speed: "30 rpm", law: "sin(t)", table: [[0, 0], [1, 1], [2, 0]] }),
  "driver between": (length) => ({ speed: length, law: "sin(t)", table: [[0, 0], [1, 1], [2, 0]], stroke: [5 * length, 10 * length] }),
};

/** Return a typed value: a number, true or false, or else text. */
function parsed(text: string): unknown {
  const value = text.trim();
  if (value === "true" || value === "false") return value === "true";
  return value && !Number.isNaN(Number(value)) ? Number(value) : value;
}

const written = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));

export function EntryForm({ section, name, entry, now }: { section: Fields; name: string; entry: Entry; now: State }) {
  const put = (next: Entry) => edit({ op: "put", section, name, entry: next });
  const set = (key: string, value: unknown) => {
    if (value !== "") return put({ ...entry, [key]: value });
    put(Object.fromEntries(Object.entries(entry).filter(([other]) => other !== key)));
  };
  const type = section === "drivers" ? (entry.between ? "driver between" : "driver") : String(entry.type);
  const more = MORE[type]?.(Number((now.sketch.size / 10).toPrecision(1))) ?? {};
  return (
    <div class="st-entry">
      {Object.entries(entry).filter(([key]) => key !== "type").map(([key, value]) => (
        <Value key={key} label={key} unit={UNITS[`${type} ${key}`] ?? ""} value={value} now={now} set={(next) => set(key, next)} />
      ))}
      {now.lifts[name] && <Lift curve={now.lifts[name]} unit={now.sketch.angle} />}
      {Object.keys(more).some((key) => !(key in entry)) && (
        <label class="st-field">
          <span>add</span>
          <select value="" onChange={({ currentTarget }) => set(currentTarget.value, more[currentTarget.value])}>
            <option value="">choose …</option>
            {Object.keys(more).filter((key) => !(key in entry)).map((key) => <option key={key}>{key}</option>)}
          </select>
        </label>
      )}
      <p class="st-quiet">A number may have a unit, such as 2.5 cm. An empty field takes the key away.</p>
    </div>
  );
}

/** The lift of a cam over its turn. */
function Lift({ curve: [angles, lifts], unit }: { curve: [number[], number[]]; unit: string }) {
  const [low, high, whole] = [Math.min(...lifts), Math.max(...lifts), angles.at(-1)!];
  const path = angles.map((angle, k) => `${(280 * angle) / whole} ${64 - (60 * (lifts[k]! - low)) / (high - low || 1)}`);
  return (
    <figure class="st-lift">
      <svg viewBox="0 0 280 68" role="img" aria-label="Lift over the turn of the cam"><path d={`M${path.join("L")}`} /></svg>
      <figcaption>lift {number(low)} … {number(high)} over {number(whole)} {unit}</figcaption>
    </figure>
  );
}

interface ValueProps {
  label: string;
  unit?: string;
  value: unknown;
  now: State;
  set: (value: unknown) => void;
}

/** The fields of one value: of a list those of its items in a row, of a list of rows a table. */
function Value({ label, unit = "", value, now, set }: ValueProps) {
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) return <Table label={label} rows={value as Row[]} now={now} set={set} />;
  if (!Array.isArray(value)) {
    return (
      <label class="st-field">
        <span>{label}</span>
        <Item label={label} value={value} now={now} set={set} />
        {typeof value === "number" && <span class="st-unit">{unit}</span>}
      </label>
    );
  }
  return (
    <div class="st-field" role="group" aria-label={label}>
      <span>{label}</span>
      {value.map((item, k) => (
        <Item key={k} label={`${label} ${VECTORS.has(label) ? "xy"[k] : k + 1}`} named={label} value={item} now={now}
          set={(next) => set(next === "" ? "" : value.map((old, other) => (other === k ? next : old)))} />
      ))}
      {value.some((item) => typeof item === "number") && <span class="st-unit">{unit}</span>}
    </div>
  );
}

/** One name, word, number or text. */
function Item({ label, named = label, value, now, set }: ValueProps & { named?: string }) {
  const names = LINKS.has(named)
    ? ["ground", ...Object.keys(now.sketch.links).filter((link) => link !== "ground")]
    : POINTS.has(named) ? Object.keys(now.sketch.points) : WORDS[named];
  if (names && typeof value === "string") {
    return (
      <select aria-label={label} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {[...new Set([value, ...names])].map((one) => <option key={one}>{one}</option>)}
      </select>
    );
  }
  if (typeof value === "boolean") {
    return <input type="checkbox" aria-label={label} checked={value} onChange={({ currentTarget }) => set(currentTarget.checked)} />;
  }
  return (
    <input
      key={`${refusals.value} ${written(value)}`}
      aria-label={label}
      defaultValue={written(value)}
      onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
      onBlur={({ currentTarget }) => currentTarget.value !== written(value) && set(parsed(currentTarget.value))}
    />
  );
}

/** What a new row begins with: in the law of a cam, a lift and a fall have the height `to`, a dwell has none. */
const after = (row: Row | undefined): Row => (Array.isArray(row) ? row.map((item) => (typeof item === "number" ? item + 1 : item)) : { ...row });
const columnsOf = (rows: Row[]) =>
  rows.some((row) => !Array.isArray(row) && "motion" in row) ? ["motion", "over", "to"] : [...new Set(rows.flatMap((row) => Object.keys(row)))];

/** A list of rows or of tables: rows of time and value, the law of a cam, the segments of a slot. */
function Table({ label, rows, now, set }: { label: string; rows: Row[]; now: State; set: (rows: Row[]) => void }) {
  const columns = columnsOf(rows);
  const change = (k: number, column: string, value: unknown) =>
    set(rows.map((row, other) => {
      if (other !== k) return row;
      if (Array.isArray(row)) return row.map((item, place) => (String(place) === column ? value : item));
      const next: Record<string, unknown> = { ...row, [column]: value };
      if (next.motion === "dwell") delete next.to;
      else if ("motion" in next && !("to" in next)) next.to = 0;
      return Object.fromEntries(Object.entries(next).filter(([, item]) => item !== ""));
    }));
  return (
    <table class="st-rows" aria-label={label}>
      <thead><tr>{columns.map((column) => <th key={column}>{Array.isArray(rows[0]) ? (["time", "value"][Number(column)] ?? column) : column}</th>)}<td /></tr></thead>
      <tbody>
        {rows.map((row, k) => (
          <tr key={k}>
            {columns.map((column) => {
              const value = (row as Record<string, unknown>)[column];
              const rests = column === "to" && !Array.isArray(row) && row.motion === "dwell";
              return (
                <td key={column}>
                  {!rests && <Item label={`${label} ${k + 1} ${column}`} named={column} value={value ?? ""} now={now} set={(next) => change(k, column, next)} />}
                </td>
              );
            })}
            <td><button type="button" class="st-chip" aria-label={`Remove row ${k + 1}`} disabled={rows.length < 2} onClick={() => set(rows.filter((_, other) => other !== k))}>×</button></td>
          </tr>
        ))}
      </tbody>
      <tfoot><tr><td colSpan={columns.length + 1}><button type="button" class="st-chip" onClick={() => set([...rows, after(rows.at(-1))])}>Add a row</button></td></tr></tfoot>
    </table>
  );
}
