// Arrows in pixels.
import type { Point } from "./types";

/** Return the paths of an arrow from a place along a way: its line and its head. */
export function arrowOf([x, y]: Point, [dx, dy]: Point): { line: string; head: string } {
  const length = Math.hypot(dx, dy);
  const [ux, uy] = [dx / length, dy / length];
  const head = Math.min(8, 0.6 * length);
  const [bx, by, side] = [x + dx - head * ux, y + dy - head * uy, 0.42 * head];
  return {
    line: `M${x} ${y}L${bx} ${by}`,
    head: `M${x + dx} ${y + dy}L${bx - side * uy} ${by + side * ux}L${bx + side * uy} ${by - side * ux}Z`,
  };
}
