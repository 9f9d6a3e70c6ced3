// Names next to their points. A name keeps its offset from its point through the whole motion, so that it does not
// jump; of sixteen offsets, the one that covers least in some sample poses, within the picture, is used.
import { type Camera, pixel, type Size } from "./camera";
import { corners, matrix, moved, type Pose, spot } from "./pose";
import type { Point, View } from "./types";

/** A name, and where its anchor is in a pose. */
export interface Name {
  text: string;
  italic: boolean;
  at: (pose: Pose) => Point | null;
}

/** What names keep clear of besides the shapes, in pixels: texts, by their middle and half their width, and lines. */
export interface Besides {
  texts: [x: number, y: number, half: number][];
  lines: [Point, Point][];
}

/** Return the names of points and drivers. */
export function namesOf(view: View): Name[] {
  const points = view.points.map(({ name, link, at }) => ({
    text: name,
    italic: false,
    at: (pose: Pose) => spot(pose, [link, ...at]),
  }));
  const drivers = view.drivers.map(({ name, at, label }) => ({
    text: name,
    italic: true,
    at: (pose: Pose) => {
      const place = label && matrix(pose, label.frame);
      if (!label) return spot(pose, at);
      return place ? moved(place, label.at) : null;
    },
  }));
  return [...points, ...drivers];
}

const DISTANCES = [13, 19, 27];
const TURNS = Array.from({ length: 8 }, (_, k) => ((k + 1) * Math.PI) / 4);
const HEIGHT = 13;
export const CHARACTER = 7;
/** Points along lines are this many pixels apart. */
const STEP = 7;

/** Return the offset in pixels of each name from its anchor; `clearance` is kept free around the anchors. */
export function labelOffsets(view: View, names: Name[], poses: Pose[], camera: Camera, size: Size, clearance = 0, besides: (pose: Pose) => Besides): Point[] {
  const marked = poses.map(besides);
  const obstacles = poses.map((pose, p) => [...spread(view, pose, camera, size), ...marked[p]!.lines.flatMap((line) => along(...line))]);
  const anchors = poses.map((pose) => names.map((name) => anchor(name, pose, camera, size)));
  const halves = names.map(({ text }): Point => [(text.length * CHARACTER) / 2 + 3, HEIGHT / 2]);
  const offsets: (Point | null)[] = names.map(() => null);
  // what a name can cover, wherever it is put: of a large mechanism, little of all that is drawn
  const span = DISTANCES.at(-1)! + clearance;
  const widest = Math.max(0, ...halves.map(([w]) => w));
  const inks = poses.map((_, p) =>
    names.map((_, k) => within(obstacles[p]!, anchors[p]![k]!, span + 2 * halves[k]![0], span + halves[k]![1])),
  );
  const neighbours = poses.map((_, p) =>
    names.map((_, k) => {
      const found = within(anchors[p]!, anchors[p]![k]!, 2 * (span + halves[k]![0] + widest) + 4, 2 * span + 2 * HEIGHT);
      return found.filter((other) => other !== k);
    }),
  );
  const cost = (k: number, [dx, dy]: Point): number => {
    const [w, h] = halves[k]!;
    let total = 0;
    poses.forEach((_, p) => {
      const at = anchors[p]![k];
      if (!at) return;
      const [x, y] = [at[0] + dx, at[1] + dy];
      if (x < w || x > size[0] - w || y < h || y > size[1] - h) total += 60;
      for (const ink of inks[p]![k]!) {
        const [px, py] = obstacles[p]![ink]!;
        if (Math.abs(px - x) < w && Math.abs(py - y) < h) total += 1;
      }
      for (const text of marked[p]!.texts) if (covers([x, y], w, text)) total += 10;
      neighbours[p]![k]!.forEach((other) => {
        const place = anchors[p]![other]!;
        if (!names[other]!.italic && Math.abs(place[0] - x) < w + 4 + clearance && Math.abs(place[1] - y) < h + 4 + clearance) total += 4;
        const shift = offsets[other];
        if (!shift) return;
        const [gapX, gapY] = [Math.abs(place[0] + shift[0] - x), Math.abs(place[1] + shift[1] - y)];
        if (gapX < w + halves[other]![0] && gapY < HEIGHT) total += 10;
      });
    });
    return total / poses.length;
  };
  // in the second round each name knows where all the others are
  for (let round = 0; round < 2; round++)
    names.forEach((name, k) => {
      const [w, h] = halves[k]!;
      let least = Infinity;
      const ways: [Point, number][] = name.italic ? [[[0, 0], 0]] : [];
      DISTANCES.forEach((distance, ring) =>
        TURNS.forEach((turn, order) => {
          const way: Point = [Math.cos(turn) * (distance + clearance + w - h), -Math.sin(turn) * (distance + clearance)];
          ways.push([way, 0.04 * order + 1.5 * ring + (name.italic ? 1 : 0)]);
        }),
      );
      for (const [way, before] of ways) {
        const total = before + cost(k, way);
        if (total < least) [least, offsets[k]] = [total, way];
      }
    });
  return offsets as Point[];
}

/** Return the indices of the places within a distance of another one, along x and y; none if that has no place. */
function within(places: (Point | null)[], at: Point | null, reachX: number, reachY: number): number[] {
  const found: number[] = [];
  if (!at) return found;
  const [x, y] = at;
  for (let k = 0; k < places.length; k++) {
    const place = places[k];
    if (place && Math.abs(place[0] - x) < reachX && Math.abs(place[1] - y) < reachY) found.push(k);
  }
  return found;
}

/** Return whether a name at a place, of this half width, covers a text. */
function covers([x, y]: Point, w: number, [textX, textY, half]: [number, number, number]): boolean {
  return Math.abs(textX - x) < w + half && Math.abs(textY - y) < HEIGHT;
}

/** Return whether two names at these places (in pixels) cover each other, or one of them a text. */
export function collide(names: Name[], places: (Point | null)[], texts: Besides["texts"]): boolean {
  for (let k = 0; k < places.length; k++) {
    const a = places[k];
    if (a && texts.some((text) => covers(a, (names[k]!.text.length * CHARACTER) / 2 + 1, text))) return true;
    for (let other = 0; a && other < k; other++) {
      const b = places[other];
      const reach = ((names[k]!.text.length + names[other]!.text.length) * CHARACTER) / 2 + 2;
      if (b && Math.abs(a[0] - b[0]) < reach && Math.abs(a[1] - b[1]) < HEIGHT) return true;
    }
  }
  return false;
}

/** Return the pixel of a name's anchor. */
export function anchor(name: Name, pose: Pose, camera: Camera, size: Size): Point | null {
  const place = name.at(pose);
  return place && pixel(camera, size, place);
}

/** Return places along a circle. */
function around([x, y, r]: [number, number, number]): Point[] {
  return Array.from({ length: 13 }, (_, k) => [x + r * Math.cos((k * Math.PI) / 6), y + r * Math.sin((k * Math.PI) / 6)]);
}

/** Return pixels along the outlines of all shapes. */
function spread(view: View, pose: Pose, camera: Camera, size: Size): Point[] {
  const found: Point[] = [];
  for (const shape of view.shapes) {
    const place = matrix(pose, shape.frame);
    if (!place || !shape.stroke) continue;
    const line = (shape.circle ? around(shape.circle) : corners(shape)).map((at) => pixel(camera, size, moved(place, at)));
    if (shape.closed && line.length > 2) line.push(line[0]!);
    // a name that covers part of a pin is hard to read
    if (shape.circle) found.push(...line, ...line, ...line);
    for (let k = 1; k < line.length; k++) found.push(...along(line[k - 1]!, line[k]!));
  }
  return found;
}

/** Return pixels along a line. */
function along(a: Point, b: Point): Point[] {
  const parts = Math.min(200, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / STEP));
  return Array.from({ length: parts }, (_, p) => [a[0] + ((b[0] - a[0]) * p) / parts, a[1] + ((b[1] - a[1]) * p) / parts]);
}
