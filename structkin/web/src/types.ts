// The JSON from Python (structkin/show/view.py). Lengths are in the file's unit, angles in radians, y is up; null means
// that there is no pose.

export type Point = [x: number, y: number];
/** A place, or a direction, in the local coordinates of a link. */
export type Place = [link: string, x: number, y: number];

export type Frame =
  | { link: string }
  | { at: Place; along: Place }
  | { at: Place; toward: Place; stretch: number | null };

export interface Shape {
  id: string;
  part: string;
  /** Null breaks the line. */
  points: (Point | null)[] | null;
  circle: [cx: number, cy: number, r: number] | null;
  closed: boolean;
  frame: Frame;
  fill: string | null;
  stroke: string | null;
  width: number;
  dash: number[] | null;
  opacity: number;
  layer: number;
}

export interface NamedPoint {
  name: string;
  link: string;
  at: Point;
  pivot: boolean;
  joint: boolean;
  trace: boolean;
  colour: string;
}

export interface Link {
  name: string;
  group: number | null;
  colour: string;
  ground: boolean;
}

export interface Driver {
  id: string;
  name: string;
  quantity: "angle" | "length";
  unit: string;
  at: Place;
  /** Where its name is drawn. */
  label?: { frame: Frame; at: Point };
}

export interface Group {
  index: number;
  kind: string;
  label: string;
  links: string[];
  pins: string[];
  depends_on: number[];
  colour: string;
  words: string;
}

export type Numbers = (number | null)[];

export interface Samples {
  n: number;
  t: Numbers | null;
  /** Runs [first, last, status, group]. */
  status: [first: number, last: number, word: string, group: number | null][];
  drivers: Record<string, Numbers>;
  frames: Record<string, { x: Numbers; y: Numbers; angle: Numbers }>;
}

export interface View {
  format: number;
  title: string;
  language: string;
  units: Record<string, string>;
  /** The size of symbols. */
  symbol: number;
  /** What the motion needs: left, lower, right and upper end. */
  box?: [x0: number, y0: number, x1: number, y1: number];
  links: Link[];
  shapes: Shape[];
  points: NamedPoint[];
  drivers: Driver[];
  groups: Group[];
  samples?: Samples;
}

/** The model that a host provides, that of anywidget; a page with inline data needs only `get`. */
export interface Model {
  get(name: string): unknown;
  set?(name: string, value: unknown): void;
  save_changes?(): void;
  send?(content: unknown): void;
  on?(event: string, callback: (...args: unknown[]) => void): void;
  off?(event: string, callback: (...args: unknown[]) => void): void;
}

export interface Host {
  model: Model;
  el: HTMLElement;
}
