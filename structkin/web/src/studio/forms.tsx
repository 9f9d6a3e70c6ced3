// New joints and loads: each kind asks for its links and points by clicks, and begins with a template.
import { useEffect, useRef } from "preact/hooks";
import { type Asked, asked, edit, renamed, setMode } from "./store";
import type { Entry, State } from "./types";

/** What a template is made of, beside what was clicked. */
interface Parts {
  /** Two points of a link. */
  line: (link: string | undefined) => string[];
  /** A length of a tenth of the drawing, and an angle in the unit of the file. */
  length: number;
  turn: (degrees: number) => number | string;
  /** The distance of two points in the sketch. */
  distance: (a: string | undefined, b: string | undefined) => number;
}

const link = (key: string, words: string) => ({ key, what: "link" as const, words });
const point = (key: string, words: string) => ({ key, what: "point" as const, words });
const joint = (key: string, words: string) => ({ key, what: "joint" as const, words });

interface Kind {
  asks: Asked["asks"];
  /** Its type in the file, if that is another word. */
  type?: string;
  entry: (got: Record<string, string>, parts: Parts) => Entry;
}

/** What a new joint of each kind asks for, and its template: numbers can be changed. */
const JOINTS: Record<string, Kind> = {
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

const LOADS: Record<string, Kind> = {
  spring: {
    asks: [point("a", "one end"), point("b", "the other end")],
    entry: ({ a, b }, { distance }) => ({ between: [a, b], stiffness: "1 N/mm", free_length: distance(a, b) }),
  },
  damper: {
    asks: [point("a", "one end"), point("b", "the other end")],
    type: "spring",
    entry: ({ a, b }) => ({ between: [a, b], damping: "100 N s/m" }),
  },
  force: { asks: [point("at", "the point on which it acts")], entry: ({ at }) => ({ at, value: ["0 N", "-100 N"] }) },
  moment: { asks: [link("on", "the link on which it acts")], entry: ({ on }) => ({ on, value: "1 N m" }) },
  "torsion spring": {
    asks: [joint("joint", "the pin at which it sits")],
    type: "torsion",
    entry: ({ joint }) => ({ joint, stiffness: "1 N m/rad" }),
  },
  friction: { asks: [joint("joint", "the joint that rubs")], entry: ({ joint }) => ({ joint, limit: 1 }) },
  contact: {
    asks: [point("center", "the middle of the round end"), link("on", "the link that it meets")],
    entry: ({ center, on }, { line, length }) => ({ center, radius: length, along: line(on), stiffness: 1e6 }),
  },
};

const SECTIONS = {
  joints: { word: "joint", kinds: JOINTS },
  forces: { word: "load", kinds: LOADS },
};

const partsOf = ({ sketch }: State): Parts => ({
  line: (name) => (sketch.links[name ?? ""] ?? []).slice(0, 2),
  length: Number((sketch.size / 10).toPrecision(1)),
  turn: (degrees) => (sketch.angle === "deg" ? degrees : `${degrees} deg`),
  distance: (a, b) => {
    const [[x, y], [u, v]] = [sketch.points[a ?? ""] ?? [0, 0], sketch.points[b ?? ""] ?? [0, 0]];
    return Number(Math.hypot(u - x, v - y).toPrecision(5));
  },
});

/** A new joint or load: its links and points are clicked in the drawing, or chosen by name; it is added if it fits. */
export function NewEntry({ now, section }: { now: State; section: keyof typeof SECTIONS }) {
  const { word, kinds } = SECTIONS[section];
  const given = asked.value?.section === section ? asked.value : null;
  const form = useRef<HTMLElement>(null);
  useEffect(() => {
    if (given) form.current!.scrollIntoView({ block: "nearest" });
  }, [given]);
  const begin = (kind: string) => {
    asked.value = kind ? { section, kind, asks: kinds[kind]!.asks, got: {} } : null;
    if (kind) setMode("edit");
  };
  const add = () => {
    const { kind, got } = given!;
    const name = newName(now, kind);
    renamed.value = { kind: section, name };
    const { type = kind, entry } = kinds[kind]!;
    edit({ op: "put", section, name, entry: { type, ...entry(got, partsOf(now)) } }, undefined, true);
  };
  const names = {
    link: ["ground", ...Object.keys(now.sketch.links).filter((name) => name !== "ground")],
    point: Object.keys(now.sketch.points),
    joint: now.structure?.joints.map(({ id }) => id) ?? [],
  };
  return (
    <section ref={form} data-panel={word}>
      <h2>New {word}</h2>
      <label class="st-field">
        <span>kind</span>
        <select aria-label={`New ${word}`} value={given?.kind ?? ""} onChange={({ currentTarget }) => begin(currentTarget.value)}>
          <option value="">choose …</option>
          {Object.keys(kinds).map((one) => <option key={one}>{one}</option>)}
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
  const taken = new Set([sketch.points, document.joints, document.drivers, document.forces].flatMap((section) => Object.keys(section ?? {})));
  const stem = kind.replaceAll("-", " ");
  for (let k = 1; ; k++) {
    const name = k === 1 ? stem : `${stem}${k}`;
    if (!taken.has(name)) return name;
  }
}
