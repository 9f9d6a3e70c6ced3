// Entries of the file as forms: each key with its value as it is in the file; new joints from a template.
import { useEffect, useRef } from "preact/hooks";
import { type Asked, asked, edit, refusals, renamed, setMode, tell } from "./store";
import type { Entry, State } from "./types";

/** What a template is made of, beside the links and points that were clicked. */
interface Parts {
  /** Two points of a link. */
  line: (link: string | undefined) => string[];
  /** A length of a tenth of the drawing, and an angle in the unit of the file. */
  length: number;
  turn: (degrees: number) => number | string;
}

const link = (key: string, words: string) => ({ key, what: "link" as const, words });
const point = (key: string, words: string) => ({ key, what: "point" as const, words });

/** What a new joint of each kind asks for, and its template: numbers can be changed. */
const KINDS: Record<string, { asks: Asked["asks"]; entry: (got: Record<string, string>, parts: Parts) => Entry }> = {
  prismatic: {
    asks: [link("a", "the link that slides"), link("b", "the link that it slides on"), point("at", "a point of the first one")],
    entry: ({ a, b, at }) => ({ links: [a, b], at, axis: [1, 0] }),
  },
  "pin-in-slot": {
    asks: [point("pin", "the pin"), link("slot", "the link that has the slot")],
    entry: ({ pin, slot }) => ({ pin, slot, axis: [1, 0] }),
  },
  gear: {
    asks: [link("a", "the first gear"), link("b", "the second gear")],
    entry: ({ a, b }) => ({ links: [a, b], teeth: [20, 40] }),
  },
  belt: {
    asks: [link("a", "the first pulley"), link("b", "the second pulley")],
    entry: ({ a, b }) => ({ links: [a, b], teeth: [20, 40] }),
  },
  rack: {
    asks: [link("a", "the pinion"), link("b", "the rack")],
    entry: ({ a, b }, { line }) => ({ links: [a, b], along: line(b) }),
  },
  rolling: {
    asks: [link("a", "the link that rolls"), link("b", "the link that it rolls on")],
    entry: ({ a, b }, { line, length }) => ({ links: [a, b], along: line(b), radius: length }),
  },
  cam: {
    asks: [link("cam", "the cam"), link("follower", "the follower"), point("at", "the middle of its roller")],
    entry: ({ cam, follower, at }, { length, turn }) => ({
      cam,
      follower,
      at,
      radius: length,
      law: [
        { motion: "3-4-5", over: turn(120), to: length },
        { motion: "dwell", over: turn(60) },
        { motion: "3-4-5", over: turn(120), to: 0 },
        { motion: "dwell", over: turn(60) },
      ],
    }),
  },
  geneva: {
    asks: [link("crank", "the crank"), point("pin", "its pin"), link("wheel", "the wheel")],
    entry: ({ crank, pin, wheel }) => ({ crank, pin, wheel, slots: 4 }),
  },
  fastened: { asks: [link("a", "the first link"), link("b", "the second link")], entry: ({ a, b }) => ({ links: [a, b] }) },
};

const partsOf = ({ sketch }: State): Parts => ({
  line: (name) => (sketch.links[name ?? ""] ?? []).slice(0, 2),
  length: Number((sketch.size / 10).toPrecision(1)),
  turn: (degrees) => (sketch.angle === "deg" ? degrees : `${degrees} deg`),
});

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

/** A new joint: its links and points are clicked in the drawing, or chosen by name; it is added if it fits. */
export function JointForm({ now }: { now: State }) {
  const given = asked.value;
  const form = useRef<HTMLElement>(null);
  useEffect(() => {
    if (given) form.current!.scrollIntoView({ block: "nearest" });
  }, [given]);
  const begin = (kind: string) => {
    asked.value = kind ? { kind, asks: KINDS[kind]!.asks, got: {} } : null;
    if (kind) setMode("edit");
  };
  const add = () => {
    const { kind, got } = given!;
    const name = newName(now, kind);
    renamed.value = { kind: "joints", name };
    edit({ op: "put", section: "joints", name, entry: { type: kind, ...KINDS[kind]!.entry(got, partsOf(now)) } }, undefined, true);
  };
  const names = { link: ["ground", ...Object.keys(now.sketch.links).filter((name) => name !== "ground")], point: Object.keys(now.sketch.points) };
  return (
    <section ref={form} data-panel="joint">
      <h2>New joint</h2>
      <label class="st-field">
        <span>kind</span>
        <select aria-label="New joint" value={given?.kind ?? ""} onChange={({ currentTarget }) => begin(currentTarget.value)}>
          <option value="">choose …</option>
          {Object.keys(KINDS).map((one) => <option key={one}>{one}</option>)}
        </select>
      </label>
      {given?.asks.map(({ key, what, words }) => (
        <label key={key} class="st-field">
          <span>{words}</span>
          <select value={given.got[key] ?? ""} onChange={({ currentTarget }) => (asked.value = { ...given, got: { ...given.got, [key]: currentTarget.value } })}>
            <option value="">click it …</option>
            {names[what].map((name) => <option key={name}>{name}</option>)}
          </select>
        </label>
      ))}
      {given && (
        <div class="st-row">
          <button type="button" disabled={given.asks.some(({ key }) => !given.got[key])} onClick={add}>Add</button>
          <button type="button" onClick={() => begin("")}>Cancel</button>
        </div>
      )}
    </section>
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
