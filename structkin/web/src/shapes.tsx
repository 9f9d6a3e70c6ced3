// Shapes that move with their frames.
import { effect, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { matrix, type Pose } from "./pose";
import type { Point, Shape } from "./types";

export function Shapes({ shapes, pose, name }: { shapes: Shape[]; pose: ReadonlySignal<Pose>; name: string }) {
  const group = useRef<SVGGElement>(null);
  const sorted = useMemo(() => [...shapes].sort((a, b) => a.layer - b.layer), [shapes]);
  useEffect(() => moveShapes(group.current!, sorted, pose), [sorted, pose]);
  return (
    <g ref={group} class={name}>
      {sorted.map(drawn)}
    </g>
  );
}

function drawn(shape: Shape) {
  const style = {
    key: shape.id,
    "data-id": shape.id,
    "data-part": shape.part,
    fill: shape.fill ?? "none",
    stroke: shape.stroke ?? "none",
    "stroke-width": shape.width,
    "stroke-dasharray": shape.dash?.join(" "),
    opacity: shape.opacity,
  };
  if (shape.circle) {
    const [cx, cy, r] = shape.circle;
    return <circle cx={cx} cy={cy} r={r} {...style} />;
  }
  return <path d={pathOf(shape.points ?? [], shape.closed)} {...style} />;
}

/** Return the path data of a polyline; null breaks it. */
export function pathOf(points: (Point | null)[], closed = false): string {
  let pen = "M";
  const parts = points.map((at) => {
    const part = at ? `${pen}${at[0]} ${at[1]}` : "";
    pen = at ? "L" : "M";
    return part;
  });
  return parts.join("") + (closed && points.length ? "Z" : "");
}

/** Move the shapes' elements with the pose, straight in the document: one matrix for each frame. */
function moveShapes(root: SVGElement, shapes: Shape[], pose: ReadonlySignal<Pose>) {
  const elements = root.querySelectorAll<SVGElement>(":scope > *");
  const frames = new Map<string, { shape: Shape; elements: SVGElement[]; shown?: string | null }>();
  shapes.forEach((shape, k) => {
    const name = JSON.stringify(shape.frame);
    const entry = frames.get(name) ?? { shape, elements: [] };
    entry.elements.push(elements[k]!);
    frames.set(name, entry);
  });
  return effect(() => {
    for (const frame of frames.values()) {
      const place = matrix(pose.value, frame.shape.frame);
      const next = place && `matrix(${place.join(" ")})`;
      // what stands still costs no style and no paint
      if (next === frame.shown) continue;
      for (const element of frame.elements) {
        if (next) element.setAttribute("transform", next);
        if (!next || !frame.shown) element.style.display = next ? "" : "none";
      }
      frame.shown = next;
    }
  });
}
