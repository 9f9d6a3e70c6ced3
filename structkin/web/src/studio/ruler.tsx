// The scale of the drawing: a scale bar in pixels, and in Edit a grid in mechanism units.
import { useContext } from "preact/hooks";
import { placeOf } from "../camera";
import { StageContext } from "../scene";

/** A scale bar and the squares of the grid are at least this many pixels long. */
const BAR = 70;
const SQUARE = 22;

/** Return the smallest length of 1, 2 or 5 times a power of ten that is at least this long. */
export function roundLength(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= 0.999 * least)!;
}

/** Return the side of a square of the grid where a pixel is this long. */
export function gridStep(pixel: number): number {
  return roundLength(SQUARE * pixel);
}

export function ScaleBar({ unit }: { unit: string }) {
  const { camera, size } = useContext(StageContext)!;
  if (!camera.value) return null;
  const length = roundLength(BAR / camera.value.scale);
  const width = length * camera.value.scale;
  return (
    <g class="st-scale" transform={`translate(16 ${size.value[1] - 16})`}>
      <path d={`M0 -6V0H${width}V-6`} />
      <text x={width / 2} y={-6} text-anchor="middle">{`${Number(length.toPrecision(1))} ${unit}`}</text>
    </g>
  );
}

export function Grid() {
  const { camera, size } = useContext(StageContext)!;
  if (!camera.value) return null;
  const step = gridStep(1 / camera.value.scale);
  const [[x0, y1], [x1, y0]] = [placeOf(camera.value, size.value, [0, 0]), placeOf(camera.value, size.value, [...size.value])];
  const lines = (from: number, to: number) => {
    const first = Math.ceil(from / step);
    return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, k) => (first + k) * step);
  };
  const columns = lines(x0, x1).map((x) => `M${x} ${y0}V${y1}`);
  const rows = lines(y0, y1).map((y) => `M${x0} ${y}H${x1}`);
  return (
    <g class="st-grid">
      <path d={[...columns, ...rows].join("")} />
      <path class="st-axes" d={`M0 ${y0}V${y1}M${x0} 0H${x1}`} />
    </g>
  );
}
