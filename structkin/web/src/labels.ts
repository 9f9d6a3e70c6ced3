// Names beside their points. A name keeps its offset from its point through the whole motion, so that it does not
// jump; of sixteen offsets that one is taken which covers least over the poses looked at.
import { type Camera, pixel, type Size } from "./camera";
import { corners, matrix, moved, type Pose, spot } from "./pose";
import type { NamedPoint, Point, View } from "./types";

const DISTANCES = [11, 17];
const TURNS = Array.from({ length: 8 }, (_, k) => ((k + 1) * Math.PI) / 4);
const HEIGHT = 13;
const CHARACTER = 7;
/** Points along lines are this many pixels apart. */
const STEP = 7;

/** Return the offset in pixels of each point's name. */
export function labelOffsets(view: View, poses: Pose[], camera: Camera, size: Size): Point[] {
  const offsets: Point[] = [];
  const obstacles = poses.map((pose) => spread(view, pose, camera, size));
  const anchors = poses.map((pose) => view.points.map((point) => anchor(point, pose, camera, size)));
  view.points.forEach((point, k) => {
    const half: Point = [(point.name.length * CHARACTER) / 2 + 1, HEIGHT / 2];
    let best: Point = [0, -DISTANCES[0]!];
    let least = Infinity;
    DISTANCES.forEach((distance, ring) =>
      TURNS.forEach((turn, order) => {
        const away: Point = [Math.cos(turn), -Math.sin(turn)];
        const offset: Point = [away[0] * (distance + half[0] - HEIGHT / 2), away[1] * distance];
        let cost = 0.04 * order + 1.5 * ring;
        poses.forEach((_, p) => {
          const at = anchors[p]![k];
          if (!at) return;
          const centre: Point = [at[0] + offset[0], at[1] + offset[1]];
          let hits = 0;
          for (const [x, y] of obstacles[p]!)
            if (Math.abs(x - centre[0]) < half[0] && Math.abs(y - centre[1]) < half[1]) hits += 1;
          for (let other = 0; other < k; other++) {
            const place = anchors[p]![other];
            const shift = offsets[other]!;
            if (!place) continue;
            const width = half[0] + (view.points[other]!.name.length * CHARACTER) / 2;
            const [dx, dy] = [place[0] + shift[0] - centre[0], place[1] + shift[1] - centre[1]];
            if (Math.abs(dx) < width && Math.abs(dy) < HEIGHT) hits += 8;
          }
          anchors[p]!.forEach((place, other) => {
            if (place && other !== k && Math.abs(place[0] - centre[0]) < half[0] + 4 && Math.abs(place[1] - centre[1]) < 11) hits += 3;
          });
          cost += hits / poses.length;
        });
        if (cost < least) [least, best] = [cost, offset];
      }),
    );
    offsets.push(best);
  });
  return offsets;
}

/** Return the pixel of a named point. */
export function anchor(point: NamedPoint, pose: Pose, camera: Camera, size: Size): Point | null {
  const place = spot(pose, [point.link, ...point.at]);
  return place && pixel(camera, size, place);
}

/** Return pixels along the outlines of all shapes. */
function spread(view: View, pose: Pose, camera: Camera, size: Size): Point[] {
  const found: Point[] = [];
  for (const shape of view.shapes) {
    const place = matrix(pose, shape.frame);
    if (!place || !shape.stroke) continue;
    const line = corners(shape).map((corner) => pixel(camera, size, moved(place, corner)));
    if ((shape.closed || shape.circle) && line.length > 2) line.push(line[0]!);
    for (let k = 1; k < line.length; k++) {
      const [a, b] = [line[k - 1]!, line[k]!];
      const parts = Math.min(200, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / STEP));
      for (let p = 0; p < parts; p++)
        found.push([a[0] + ((b[0] - a[0]) * p) / parts, a[1] + ((b[1] - a[1]) * p) / parts]);
    }
  }
  return found;
}
