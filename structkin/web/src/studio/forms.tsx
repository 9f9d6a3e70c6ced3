// Entries of the file as forms: each key with its value as it is in the file; new joints from a template.
import { useState } from "preact/hooks";
import { edit, refusals, renamed, selected, tell } from "./store";
import type { Entry, State } from "./types";

/** The template of a new joint of each kind: names are asked for, numbers can be changed. */
const KINDS: Record<string, (points: string[], links: string[]) => Entry> = {
  prismatic: (points, links) => ({ links: [links[0], "ground"], at: points[0], axis: [1, 0] }),
  "pin-in-slot": (points, links) => ({ pin: points[0], slot: links[0], axis: [1, 0] }),
  gear: (_, links) => ({ links: links.slice(0, 2), teeth: [20, 40] }),
  belt: (_, links) => ({ links: links.slice(0, 2), teeth: [20, 40] }),
  rack: (points, links) => ({ links: links.slice(0, 2), along: points.slice(0, 2) }),
  rolling: (points, links) => ({ links: links.slice(0, 2), along: points.slice(0, 2), radius: 10 }),
  cam: (points, links) => ({
    cam: links[0],
    follower: links[1],
    at: points[0],
    radius: 5,
    law: [
      { motion: "3-4-5", over: 120, to: 10 },
      { motion: "dwell", over: 60 },
      { motion: "3-4-5", over: 120, to: 0 },
      { motion: "dwell", over: 60 },
    ],
  }),
  geneva: (points, links) => ({ crank: links[0], pin: points[0], wheel: links[1], slots: 4 }),
  fastened: (_, links) => ({ links: links.slice(0, 2) }),
};

/** Return a typed value: a list or table as in JSON, a number, true or false, or else text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const written = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

export function EntryForm({ section, name, entry }: { section: "joints" | "drivers"; name: string; entry: Entry }) {
  const set = (key: string, text: string) => {
    const rest = Object.fromEntries(Object.entries(entry).filter(([other]) => other !== key));
    edit({ op: "put", section, name, entry: text.trim() ? { ...entry, [key]: parsed(text) } : rest });
  };
  return (
    <div class="st-entry">
      {Object.entries(entry).map(([key, value]) => (
        <label class="st-field" key={key}>
          <span>{key}</span>
          <input
            key={`${refusals.value} ${written(value)}`}
            defaultValue={written(value)}
            onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
            onBlur={({ currentTarget }) => currentTarget.value !== written(value) && set(key, currentTarget.value)}
          />
        </label>
      ))}
      <label class="st-field">
        <span>add</span>
        <input
          placeholder='key = value, such as stroke = ["0 mm", "40 mm"]'
          onKeyDown={(event) => {
            const [, key, text] = event.currentTarget.value.match(/^\s*(\w+)\s*=\s*(.+)$/) ?? [];
            if (event.key !== "Enter") return;
            if (!key || !text) return tell("Write key = value", true);
            event.currentTarget.value = "";
            set(key, text);
          }}
        />
      </label>
    </div>
  );
}

export function JointForm({ now }: { now: State }) {
  const [kind, setKind] = useState("");
  const moving = Object.keys(now.sketch.links).filter((link) => link !== "ground");
  const points = Object.keys(now.sketch.points);
  const add = () => {
    const chosen = selected.peek();
    const first = (names: string[], wanted: string) => (chosen?.kind === wanted ? [chosen.name, ...names.filter((n) => n !== chosen.name)] : names);
    const name = newName(now, kind);
    renamed.value = { kind: "joints", name };
    edit({ op: "put", section: "joints", name, entry: { type: kind, ...KINDS[kind]!(first(points, "points"), first(moving, "links")) } });
    setKind("");
  };
  return (
    <div class="st-row">
      <label class="st-field">
        <span>New joint</span>
        <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
          <option value="">kind …</option>
          {Object.keys(KINDS).map((one) => <option key={one}>{one}</option>)}
        </select>
      </label>
      <button type="button" disabled={!kind} onClick={add}>Add</button>
    </div>
  );
}

function newName({ document, sketch }: State, kind: string): string {
  const taken = new Set([...Object.keys(sketch.points), ...Object.keys(document.joints ?? {}), ...Object.keys(document.drivers ?? {})]);
  const stem = kind.replaceAll("-", " ");
  for (let k = 1; ; k++) {
    const name = k === 1 ? stem : `${stem}${k}`;
    if (!taken.has(name)) return name;
  }
}
