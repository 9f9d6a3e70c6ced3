// What is wished of a mechanism, which the tab keeps over a reload, and what a search for it has found.
import { computed, signal } from "@preact/signals";
import type { Point, View } from "../types";
import { remembered } from "./remembered";

/** A wish (structkin/studio/wishes.py). */
export type Aim = "path" | "positions" | "better";
export type Position = [x: number, y: number, angle: number];

/** What a search shows of a linkage, or of the drawing before and after (structkin/studio/finding.py). */
export interface FoundCard {
  id: number;
  title: string;
  view: View;
  words?: string[];
  point?: string;
  error?: number;
  transmission?: number | null;
  circuits?: number | null;
  cognate?: boolean;
  defects?: string[];
  value?: number;
  numbers?: Record<string, [before: number, after: number]>;
}

export interface FoundMessage {
  type: "found";
  aim: Aim;
  part: number;
  ended: boolean;
  stopped: boolean;
  failure: string;
  notes: string[];
  version: number;
  cards?: FoundCard[];
}

const kept = <T>(name: string, usual: T) => remembered(`wish ${name}`, usual, () => sessionStorage);
/** The form that is shown. */
export const aim = kept<Aim | null>("aim", null);
/** The path, and the angles of the crank at its points if a table says them. */
export const path = kept<Point[]>("path", []);
export const angles = kept<number[] | null>("angles", null);
export const closed = kept("closed", false);
export const positions = kept<Position[]>("positions", []);
/** Opposite corners between which all ground pivots lie. */
export const region = kept<[Point, Point] | null>("region", null);
export const found = signal<(FoundMessage & { cards: FoundCard[] }) | null>(null);
export const finding = computed(() => !!found.value && !found.value.ended && !found.value.stopped);
/** The card that has become the drawing. */
export const taken = signal<number | null>(null);

/** The most positions of a body. */
export const MOST = 5;

export function hearFound(message: FoundMessage) {
  // a search that was stopped tells its end, perhaps after its pictures were closed
  if (!found.peek() && message.stopped) return;
  found.value = { ...message, cards: message.cards ?? found.peek()?.cards ?? [] };
}

/** Take the points of a table; return what it lacks. */
export function hearPoints(points: Point[], turned: number[] | null): string {
  if (aim.peek() !== "positions") [path.value, angles.value] = [points, turned];
  else if (!turned) return "A table of positions needs a column angle";
  else positions.value = points.map(([x, y], k): Position => [x, y, turned[k]!]);
  return "";
}

export function setPath(points: Point[]) {
  [path.value, angles.value] = [points, null];
}

/** Return points at equal steps along a line that was drawn; one that comes back to its start is closed, and leaves out the end. */
export function evenly(drawn: Point[], count: number): { points: Point[]; round: boolean } {
  const first = drawn[0]!;
  const parts = drawn.slice(1).map(([x, y], k) => Math.hypot(x - drawn[k]![0], y - drawn[k]![1]));
  const whole = parts.reduce((sum, part) => sum + part, 0);
  const last = drawn.at(-1)!;
  const round = Math.hypot(last[0] - first[0], last[1] - first[1]) < 0.1 * whole;
  const line = round ? [...drawn, first] : drawn;
  const places = [0];
  line.slice(1).forEach(([x, y], k) => places.push(places[k]! + Math.hypot(x - line[k]![0], y - line[k]![1])));
  const step = places.at(-1)! / (round ? count : count - 1);
  let k = 0;
  const points = Array.from({ length: count }, (_, i): Point => {
    const at = Math.min(i * step, places.at(-1)!);
    while (k < line.length - 2 && places[k + 1]! < at) k += 1;
    const part = (at - places[k]!) / (places[k + 1]! - places[k]! || 1);
    return [0, 1].map((axis) => line[k]![axis]! + part * (line[k + 1]![axis]! - line[k]![axis]!)) as Point;
  });
  return { points, round };
}
