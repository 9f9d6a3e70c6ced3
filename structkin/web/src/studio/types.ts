// The messages of the studio (structkin/studio/session.py, protocol 1).
import type { Panel, Report } from "../report_types";
import type { Place, Point, Samples, View } from "../types";
import type { FoundMessage } from "./wish_store";

export const PROTOCOL = 1;

export interface Problem {
  key: string;
  message: string;
  hint: string;
}

export interface Group {
  index: number;
  kind: string;
  links: string[];
  joints: string[];
  drivers: string[];
  class: string | null;
  depends_on: number[];
  colour: string;
  words: string;
}

export interface JointWords {
  id: string;
  kind: string;
  links: string[];
}

export interface DriverWords {
  id: string;
  kind: "angle" | "slide" | "distance";
  joint: string | null;
  links: string[];
}

export interface Structure {
  mobility: number;
  words: string;
  solvable: boolean;
  missing: number;
  groups: Group[];
  colours: Record<string, string>;
  under: string[];
  redundant: { id: string; kind: string }[];
  joints: JointWords[];
  drivers: DriverWords[];
}

export interface Sketch {
  points: Record<string, Point>;
  links: Record<string, string[]>;
  /** Given lengths; null if one cannot be read. */
  lengths: Record<string, number | null>;
  size: number;
  unit: string;
  angle: string;
}

export type Entry = Record<string, unknown>;
export type Mechanism = Record<string, unknown> & {
  title?: string;
  units?: Record<string, string>;
  joints?: Record<string, Entry>;
  drivers?: Record<string, Entry>;
  lengths?: Record<string, unknown>;
  links?: Record<string, string[] | Entry>;
  forces?: Record<string, Entry> & { gravity?: unknown };
};

/** A mass or a load, and where it is (structkin/studio/marks.py). */
export type Mark =
  | { id: string; kind: "mass"; at: Place; mass: number; way: Point }
  | { id: string; kind: "force"; at: Place; way: Point; local: boolean; varies: boolean }
  | { id: string; kind: "moment"; at: Place; size: number; varies: boolean }
  | { id: string; kind: "torsion" | "friction"; at: Place }
  | { id: string; kind: "contact"; at: Place; circles: [link: string, x: number, y: number, radius: number][] };

/** What is drawn over a pose (structkin/studio/layers.py). */
export interface LayerData {
  rates?: { points: Record<string, [vx: number | null, vy: number | null, ax: number | null, ay: number | null]>; units: [string, string] } | null;
  centres?: Record<string, Point>;
  forces?: { kind: "joint" | "applied"; joint: string; link: string; x: number | null; y: number | null; fx: number | null; fy: number | null }[];
  failure?: string;
}

export interface Placed {
  frames?: Record<string, [number, number, number]>;
  drivers?: Record<string, number>;
  free?: string[];
  /** The time [s] at which the laws of the drivers give this pose. */
  t?: number | null;
  layers?: LayerData;
}

export interface State extends Placed {
  type: "state";
  revision: number;
  document: Mechanism;
  sketch: Sketch;
  /** The scene of the sketch, and its frames; with given lengths, links in motion are drawn as in `exact`. */
  scene: View | null;
  loads: Mark[];
  /** Of cams with a law: angles and lifts. */
  lifts: Record<string, [angles: number[], lifts: number[]]>;
  /** From when to when [s] the drivers' laws run, and whether without an end. */
  clock?: [from: number, to: number, endless: boolean] | null;
  sketched?: Placed["frames"];
  exact?: View | null;
  problems: Problem[];
  stray: string[];
  loose: string[];
  structure: Structure | null;
  undo: boolean;
  /** How many changes can be undone. */
  changes: number;
  redo: boolean;
  saved: boolean;
  /** The number of the change that this answers. */
  ask?: number;
}

export interface PoseMessage extends Placed {
  type: "pose";
  revision: number;
  stopped: string;
  done: boolean;
  seq: number | null;
  /** The frames of the poses on the way from the one before; none where it has jumped. */
  way?: Record<string, [number, number, number]>[];
  ask?: number;
}

export interface End {
  value: number;
  radians: number;
  words: string;
  why: string;
}

export interface Range {
  driver: string;
  turns: boolean;
  lower: End | null;
  upper: End | null;
  report: string;
}

export interface Choice {
  label: string;
  own: boolean;
  complete: boolean;
  class: string | null;
  largest: number;
  groups: number;
  depth: number;
  grounded: boolean;
  drivers: { joint: string | null; links: string[]; kind: string }[];
}

/** An example, with what it is for. */
export interface Card {
  name: string;
  title: string;
  need: string;
  words: string;
}

/** What a driver needs to hold the pose at rest. */
export interface Effort {
  driver: string;
  value: number | null;
  unit: string;
}

/** What is plotted over the motion (structkin/studio/courses.py). */
export interface Courses {
  plots: NonNullable<Report["plots"]>;
  rates: Report["rates"] | null;
  efforts: Panel[];
  notes: string[];
  samples: Samples;
}

/** A part of a motion under masses and loads, and after which one it comes (structkin/studio/free_run.py). */
export interface Run {
  part: number;
  after: number | null;
  t: number[];
  frames: Samples["frames"];
  drivers: Samples["drivers"];
  stopped: string;
}

export interface Ghost {
  label: string;
  frames: Record<string, [number, number, number]>;
}

export interface Found<T> {
  revision: number;
  found: T[];
  failure?: string;
}

/** What a search that may stop early has found, and how far it went. */
export interface Listed<T> {
  revision: number;
  found: { list: T[]; words: string } | [];
  failure?: string;
}

export type Incoming =
  | { type: "hello"; protocol: number; version: string; file: string | null; key: string; example: boolean }
  | State
  | PoseMessage
  | { type: "refused" | "fault"; problems: Problem[]; ask?: number }
  | { type: "working" }
  | ({ type: "limits" } & Found<Range>)
  | ({ type: "ranking" } & Listed<Choice>)
  | ({ type: "efforts" } & Found<Effort>)
  | { type: "simulation"; revision: number; found: Run | []; failure?: string }
  | { type: "courses"; revision: number; found: Courses | []; failure?: string }
  | { type: "scene"; revision: number; found: { box: View["box"]; scene: View | null }; failure?: string }
  | { type: "notes"; notes: string[] }
  | FoundMessage
  | { type: "points"; points: Point[]; angles: number[] | null }
  | { type: "gallery"; cards: Card[] }
  | { type: "thumbnail"; revision: number; found: { name: string; view: View }; failure?: string }
  | ({ type: "assemblies" } & Listed<Ghost>)
  | { type: "wiggle"; revision: number; coordinate: string; poses: Ghost["frames"][] }
  | { type: "saved"; file: string }
  | { type: "shared"; fragment: string };

export type Command = { op: string } & Record<string, unknown>;
