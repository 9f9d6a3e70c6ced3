// The sections that a report adds to a view (structkin/report/); those that do not apply are missing.
import type { Numbers, Point, View } from "./types";

/** One number for all samples, or one for each. */
export type Course = number | null | Numbers;

export interface Locus {
  x: Course;
  y: Course;
  /** Of a circle. */
  r?: Course;
  /** Of a line. */
  dx?: Course;
  dy?: Course;
}

export type LinkFrames = Record<string, { x: Numbers; y: Numbers; angle: Numbers }>;

export interface Step {
  reason: string;
  joints: string[];
  drivers: string[];
  /** All points of its links. */
  points: string[];
  inputs: { id: string; from: number | null; point: string | null }[];
  found: string[];
  loci: Locus[];
  /** The other assembly modes: at all samples if `live`, else at one. */
  modes?: LinkFrames[];
  live: boolean;
  note?: string;
}

export interface End {
  value: number;
  kind: string;
  why: string;
}

export interface DriverLimits {
  driver: string;
  angle: boolean;
  unit: string;
  /** Significant digits of its values. */
  digits: number;
  turn: number;
  failure?: string;
  words: string;
  reasons: string[];
  start: number;
  turns_fully: boolean;
  intervals: { low: End | null; high: End | null; turns: number }[];
  low: End | null;
  high: End | null;
  passed: End[];
}

export interface CentrePair {
  link: string;
  base: string;
  x: Numbers;
  y: Numbers;
}

export interface Panel {
  title: string;
  unit: string;
  curves: { name: string; values: Numbers }[];
}

export interface Coefficients {
  drivers: string[];
  pairs: [string, string][];
  /** Those of points are missing where no point moves, those of links where no link does. */
  units: { point?: string[]; link?: string[]; point_pairs?: string[]; link_pairs?: string[] };
  points: Record<string, { K: Numbers[][]; L: Numbers[][] }>;
  links: Record<string, { K: Numbers[][]; L: Numbers[][] }>;
}

export type Row = (string | number | null)[];

export interface Report extends View {
  summary: {
    facts: [string, string][];
    status: string[];
    ok: boolean;
    problems: string[];
    source: string;
    program: string;
    author: string;
    date: string;
  };
  /** Missing without a pose. */
  results?: { tables: { heads: string[]; rows: [name: string, ...cells: string[]][] }[]; facts: [name: string, words: string][] };
  /** Of a mechanism that cannot be assembled: the ends of the gap that its links leave, which stand as near as they come. */
  gap?: { ends: [Point, Point]; words: string };
  /** HTML made by Python (structkin/report/worksheet.py), or why there is none. */
  worksheet?: { html?: string; failure?: string };
  plots?: {
    x: { name: string; unit: string; values: Numbers };
    units: Record<"length" | "speed" | "acceleration" | "angle" | "omega" | "alpha", string>;
    angles: Record<string, Numbers>;
    /** x and y of all points. */
    places: Record<string, [x: Course, y: Course]>;
    points: string[];
    links: string[];
    /** Whether velocities and accelerations were left out of the page. */
    without_rates: boolean;
  };
  steps?: { sample: number; groups: Step[] };
  rates?: {
    points: Record<string, Record<"vx" | "vy" | "ax" | "ay", Numbers>>;
    links: Record<string, Record<"omega" | "alpha", Numbers>>;
    left_out: string[];
  };
  coefficients?: Coefficients & { left_out: string[] };
  /** Instant centres of links relative to the ground or to each other. */
  centres?: { pairs: CentrePair[]; left_out: number };
  limits?: DriverLimits[];
  transmission?: {
    unit: string;
    right: number;
    curves: { group: number; values: Numbers; worst: number; least: number }[];
  };
  forces?: {
    panels: Panel[];
    arrows: { kind: "joint" | "applied"; joint: string; link: string; x: Numbers; y: Numbers; fx: Numbers; fy: Numbers }[];
    table: Row[];
    notes: string[];
    locked: string;
  };
  /** The formulations of dynamics: the table of the terminal, and its picture as an address that holds it. */
  comparison?: { title: string; heads: string[]; rows: string[][]; notes: string[]; picture: string };
  inputs?: { title: string; rows: [name: string, words: string][] }[];
  ranges?: { points: Row[]; links: Row[]; left_out: string[] };
}

/** Return the x and y of a point at all samples. */
export function placesOf({ plots, samples }: Pick<Report, "plots" | "samples">, point: string): [x: Numbers, y: Numbers] {
  const [x, y] = plots!.places[point]!.map((course) => Array.from({ length: samples!.n }, (_, k) => at(course, k)));
  return [x!, y!];
}

/** Return the value of a course at a sample. */
export function at(course: Course | undefined, k: number): number | null {
  return Array.isArray(course) ? (course[k] ?? null) : (course ?? null);
}
