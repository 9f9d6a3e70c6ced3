// What part of the plane an SVG shows. The SVG's own coordinates are pixels, y down.
import type { Box } from "./pose";
import type { Point } from "./types";

export interface Camera {
  /** The middle of the picture, in mechanism units. */
  x: number;
  y: number;
  /** Pixels for one mechanism unit. */
  scale: number;
}

export type Size = readonly [width: number, height: number];

/** Return the camera that shows a box with a margin in pixels. */
export function fitted(box: Box, [width, height]: Size, margin = 36): Camera {
  const [w, h] = [Math.max(box.x1 - box.x0, 1e-12), Math.max(box.y1 - box.y0, 1e-12)];
  const scale = Math.min(Math.max(width - 2 * margin, 20) / w, Math.max(height - 2 * margin, 20) / h);
  return { x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2, scale };
}

/** Return the camera after zooming by a factor about a place in mechanism units, which stays where it is. */
export function zoomed(camera: Camera, factor: number, [x, y]: Point): Camera {
  return { x: x + (camera.x - x) / factor, y: y + (camera.y - y) / factor, scale: camera.scale * factor };
}

/** Return the SVG transform of the group that is drawn in mechanism units. */
export function worldTransform({ x, y, scale }: Camera, [width, height]: Size): string {
  return `matrix(${scale} 0 0 ${-scale} ${width / 2 - scale * x} ${height / 2 + scale * y})`;
}

/** Return the pixel of a place. */
export function pixel({ x, y, scale }: Camera, [width, height]: Size, [px, py]: Point): Point {
  return [width / 2 + scale * (px - x), height / 2 - scale * (py - y)];
}

/** Return the place at a pixel. */
export function placeOf({ x, y, scale }: Camera, [width, height]: Size, [px, py]: Point): Point {
  return [x + (px - width / 2) / scale, y - (py - height / 2) / scale];
}
