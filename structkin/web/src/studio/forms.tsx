// Entries of the file as forms: each key with its value as it is in the file; new joints from a template.
import { useState } from "preact/hooks";
import { edit, refusals, renamed, selected, tell } from "./store";
import type { Entry, State } from "./types";

/** What a template is made of: moving links, those of the selection first, and what is drawn of them. */
interface Parts {
  links: string[];
  /** A point of the first link that the other one and the ground do not have, the selected one if possible. */
  free: (link: string | undefined, other?: string) => string | undefined;
  /** Two points of a link. */
  line: (link: string | undefined) => string[];
  /** A length of a tenth of the drawing, and an angle in the unit of the file. */
  length: number;
  turn: (degrees: number) => number | string;
}

/** The template of a new joint of each kind: names and numbers can be changed. */
const KINDS: Record<string, (parts: Parts) => Entry> = {
  prismatic: ({ links: [a], free }) => ({ links: [a, "ground"], at: free(a), axis: [1, 0] }),
  "pin-in-slot": ({ links: [a, b], free }) => ({ pin: free(a, b), slot: b ?? "ground", axis: [1, 0] }),
  gear: ({ links }) => ({ links: links.slice(0, 2), teeth: [20, 40] }),
  belt: ({ links }) => ({ links: links.slice(0, 2), teeth: [20, 40] }),
  rack: ({ links, line }) => ({ links: links.slice(0, 2), along: line(links[1]) }),
  rolling: ({ links, line, length }) => ({ links: links.slice(0, 2), along: line(links[1]), radius: length }),
  cam: ({ links: [cam, follower], free, length, turn }) => ({
    cam,
    follower,
    at: free(follower, cam),
    radius: length,
    law: [
      { motion: "3-4-5", over: turn(120), to: length },
      { motion: "dwell", over: turn(60) },
      { motion: "3-4-5", over: turn(120), to: 0 },
      { motion: "dwell", over: turn(60) },
    ],
  }),
  geneva: ({ links: [crank, wheel], free }) => ({ crank, pin: free(crank, wheel), wheel, slots: 4 }),
  fastened: ({ links }) => ({ links: links.slice(0, 2) }),
};

function partsOf({ sketch }: State): Parts {
  const { kind, name } = selected.peek() ?? {};
  const of = (link: string | undefined) => sketch.links[link ?? ""] ?? [];
  const chosen = (link: string) => (kind === "links" && link === name) || (kind === "points" && of(link).includes(name!));
  const moving = Object.keys(sketch.links).filter((link) => link !== "ground");
  const free = (link: string | undefined, other?: string) => {
    const found = of(link).filter((point) => !of("ground").includes(point) && !of(other).includes(point));
    return kind === "points" && found.includes(name!) ? name : (found[0] ?? of(link)[0]);
  };
  return {
    links: [...moving.filter(chosen), ...moving.filter((link) => !chosen(link))],
    free,
    line: (link) => of(link).slice(0, 2),
    length: Number((sketch.size / 10).toPrecision(1)),
    turn: (degrees) => (sketch.angle === "deg" ? degrees : `${degrees} deg`),
  };
}

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
  const add = () => {
    const name = newName(now, kind);
    renamed.value = { kind: "joints", name };
    edit({ op: "put", section: "joints", name, entry: { type: kind, ...KINDS[kind]!(partsOf(now)) } });
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
