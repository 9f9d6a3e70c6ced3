// Where the frames of a scene are in one pose: the only geometry that is done here.
import type { Frame, Place, Point, Samples, Shape, View } from "./types";

export interface LinkFrame {
  x: number;
  y: number;
  angle: number;
}

/** The frame of each link; null where it has no pose. */
export type Pose = Readonly<Record<string, LinkFrame | null>>;

/** An SVG matrix: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = [a: number, b: number, c: number, d: number, e: number, f: number];

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** Return the pose at a sample. */
export function poseAt(samples: Samples, k: number): Pose {
  const pose: Record<string, LinkFrame | null> = {};
  for (const [link, { x, y, angle }] of Object.entries(samples.frames)) {
    const [px, py, turn] = [x[k], y[k], angle[k]];
    pose[link] = px == null || py == null || turn == null ? null : { x: px, y: py, angle: turn };
  }
  return pose;
}

/** Return whether any sample has a pose of every link. */
export function posed({ n, frames }: Samples): boolean {
  return Array.from({ length: n }).some((_, k) => Object.values(frames).every(({ x }) => x[k] != null));
}

/** Return where a place of a link is, null where that is not known. */
export function spot(pose: Pose, [link, x, y]: Place): Point | null {
  const frame = pose[link];
  if (!frame) return null;
  const [c, s] = [Math.cos(frame.angle), Math.sin(frame.angle)];
  return [frame.x + c * x - s * y, frame.y + s * x + c * y];
}

/** Return the matrix that takes the local coordinates of a frame to the plane, null where that is not known. */
export function matrix(pose: Pose, frame: Frame): Matrix | null {
  if ("link" in frame) {
    const own = pose[frame.link];
    return own ? turned([own.x, own.y], own.angle, 1) : null;
  }
  const at = spot(pose, frame.at);
  if (!at) return null;
  if ("along" in frame) {
    const [link, dx, dy] = frame.along;
    const carrier = pose[link];
    return carrier ? turned(at, carrier.angle + Math.atan2(dy, dx), 1) : null;
  }
  const to = spot(pose, frame.toward);
  if (!to) return null;
  const [dx, dy] = [to[0] - at[0], to[1] - at[1]];
  return turned(at, Math.atan2(dy, dx), frame.stretch ? Math.hypot(dx, dy) / frame.stretch : 1);
}

function turned([x, y]: Point, angle: number, stretch: number): Matrix {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [c * stretch, s * stretch, -s, c, x, y];
}

/** Return a point moved by a matrix. */
export function moved([a, b, c, d, e, f]: Matrix, [x, y]: Point): Point {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** Return the corners of a shape in its own coordinates: its vertices, or a circle's box. */
export function corners(shape: Shape): Point[] {
  if (!shape.circle) return (shape.points ?? []).filter((at) => at !== null);
  const [x, y, r] = shape.circle;
  return [[x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r]];
}

/** Return some poses of a motion, evenly spread; none without samples. */
export function somePoses(samples: Samples | undefined, most: number): Pose[] {
  if (!samples) return [];
  const step = Math.max(1, Math.floor(samples.n / most));
  return Array.from({ length: Math.ceil(samples.n / step) }, (_, k) => poseAt(samples, k * step));
}

/** Return the box of shapes in poses; null where nothing has a place. */
export function bounds(shapes: Shape[], poses: Pose[]): Box | null {
  let box: Box | null = null;
  for (const pose of poses) {
    for (const shape of shapes) {
      const place = matrix(pose, shape.frame);
      if (place) for (const corner of corners(shape)) box = grown(box, moved(place, corner));
    }
  }
  return box;
}

/** Return a box that holds another one and a point. */
export function grown(box: Box | null, [x, y]: Point): Box {
  if (!box) return { x0: x, y0: y, x1: x, y1: y };
  return { x0: Math.min(box.x0, x), y0: Math.min(box.y0, y), x1: Math.max(box.x1, x), y1: Math.max(box.y1, y) };
}

/** Return the box that a view needs over its motion, or in the pose given. */
export function wholeBox(view: View, pose: Pose): Box {
  if (view.box) {
    const [x0, y0, x1, y1] = view.box;
    return { x0, y0, x1, y1 };
  }
  const poses = somePoses(view.samples, 72);
  return bounds(view.shapes, poses.length ? poses : [pose]) ?? { x0: 0, y0: 0, x1: 1, y1: 1 };
}
