// Overlays of the scene: handles, ghosts, paths and limits.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Camera } from "../camera";
import { matrix, type Pose, spot } from "../pose";
import { pathOf } from "../shapes";
import type { Point, View } from "../types";
import { backdrop, ghosts, mode, pose, poseOf, ranges, selected, send, several, state, traced, values, way } from "./store";
import type { State } from "./types";

/** The number of places in a piece of a path, and of pieces that are shown. */
const PIECE = 24;
const PIECES = 20;

export const camera = signal<Camera | null>(null);
/** A line that is being drawn, and the point at which it would end. */
export const rubber = signal<[Point, Point] | null>(null);
/** Two corners of the frame that is drawn around what is to be selected. */
export const frame = signal<[Point, Point] | null>(null);
export const over = signal<string | null>(null);
/** Where the keys of the arrows have brought the cross with which a tool is used by keyboard. */
export const cross = signal<Point | null>(null);

export const pixels = (count: number) => count / (camera.peek()?.scale ?? 1);

export function Handles({ now }: { now: State }) {
  const px = 1 / (camera.value?.scale ?? 1);
  const line = rubber.value;
  const [a, b] = frame.value ?? [];
  const ground = new Set(now.sketch.links.ground ?? []);
  return (
    <g class="st-handles">
      {line && <path d={pathOf(line, false)} class="st-rubber" />}
      {cross.value && <Cross at={cross.value} px={px} />}
      {a && b && <path d={pathOf([a, [b[0], a[1]], b, [a[0], b[1]]], true)} class="st-frame" />}
      {Object.entries(now.sketch.points).map(([name, [x, y]]) => {
        const chosen = several.value.includes(name) || (selected.value?.kind === "points" && selected.value.name === name);
        const state = `${chosen ? "st-chosen" : ""} ${over.value === name ? "st-over" : ""} ${
          ground.has(name) ? "st-fixed" : ""
        } ${now.stray.includes(name) ? "st-stray" : ""}`;
        return <circle key={name} data-point={name} class={`st-handle ${state}`} cx={x} cy={y} r={7 * px} />;
      })}
    </g>
  );
}

function Cross({ at: [x, y], px }: { at: Point; px: number }) {
  const arm = 14 * px;
  return <path class="st-cross" d={`M${x - arm} ${y}H${x + arm}M${x} ${y - arm}V${y + arm}`} />;
}

/** The background picture: its middle and its width are set in the panel. */
export function Backdrop() {
  const { url, x, y, width, ratio } = backdrop.value ?? {};
  if (!url || !width || !ratio) return null;
  const height = width / ratio;
  return (
    <image class="st-backdrop" href={url} width={width} height={height} opacity={0.45} preserveAspectRatio="none"
      transform={`matrix(1 0 0 -1 ${x! - width / 2} ${y! + height / 2})`} />
  );
}

/** Faint pictures of the other assemblies; a click switches to one. */
export function Ghosts({ view }: { view: View }) {
  const found = ghosts.value;
  if (!found || mode.value === "edit") return null;
  return (
    <g class="st-ghosts">
      {found.map((ghost, k) => {
        const there = poseOf(ghost.frames);
        return (
          <g
            key={k}
            class="st-ghost"
            onPointerDown={(event) => {
              event.stopPropagation();
              send({ type: "assembly", index: k });
            }}
          >
            <title>{`Assembly ${k + 1}: ${ghost.label}; click to switch to it`}</title>
            {view.shapes
              .filter((shape) => shape.part.startsWith("link:") && shape.points)
              .map((shape) => {
                const place = matrix(there, shape.frame);
                return (
                  place && (
                    <path
                      key={shape.id}
                      d={pathOf(shape.points!, shape.closed)}
                      transform={`matrix(${place.join(" ")})`}
                      stroke={shape.stroke ?? "#888"}
                      fill={shape.fill ?? "none"}
                    />
                  )
                );
              })}
          </g>
        );
      })}
    </g>
  );
}

/**
 * The paths of marked points while the mechanism was driven, in short pieces of which only the last one changes. Where
 * the pose has jumped, no point has passed the line between: another piece begins.
 */
export function Paths({ view }: { view: View }) {
  const root = useRef<SVGGElement>(null);
  const chosen = traced.value;
  const points = useMemo(() => view.points.filter(({ name, trace }) => chosen[name] ?? trace), [view, chosen]);
  useEffect(() => {
    const pieces = points.map((): Point[] => []);
    const groups = [...root.current!.children];
    const pass = (now: Pose) =>
      points.forEach((point, k) => {
        const [place, piece, group] = [spot(now, [point.link, ...point.at]), pieces[k]!, groups[k]!];
        const last = piece.at(-1);
        if (!place || (last && Math.hypot(place[0] - last[0], place[1] - last[1]) < pixels(1))) return;
        if (piece.length === PIECE) piece.splice(0, PIECE - 1);
        if (piece.push(place) === 1) return;
        if (piece.length === 2) group.append(document.createElementNS(group.namespaceURI, "path"));
        if (group.childElementCount > PIECES) group.firstElementChild!.remove();
        group.lastElementChild!.setAttribute("d", pathOf(piece));
      });
    const stop = pose.subscribe((now) => {
      const passed = way.peek();
      if (!passed) for (const piece of pieces) piece.length = 0;
      for (const one of [...(passed ?? []), now]) pass(one);
    });
    return () => {
      stop();
      for (const group of groups) group.replaceChildren();
    };
  }, [points]);
  return (
    <g ref={root} class="st-paths">
      {points.map((point) => <g key={point.name} stroke={point.colour} />)}
    </g>
  );
}

/** The range of an angle that drives against the ground, as an arc with its ends. */
export function Arcs({ view }: { view: View }) {
  const now = state.value!;
  return (
    <g class="st-arcs">
      {(ranges.value ?? []).map(({ driver, lower, upper, turns }) => {
        const entry = now.structure?.drivers.find((one) => one.id === driver);
        const drawn = view.points.find((point) => point.name === entry?.joint);
        if (!entry || entry.kind !== "angle" || entry.links[0] !== "ground" || !drawn) return null;
        const middle = spot(pose.value, [drawn.link, ...drawn.at]);
        if (!middle) return null;
        const radius = 3.4 * view.symbol;
        const [from, to] = turns || !lower || !upper ? [0, 2 * Math.PI] : [lower.radians, upper.radians];
        const corners = Array.from({ length: 65 }, (_, k): Point => {
          const angle = from + ((to - from) * k) / 64;
          return [middle[0] + radius * Math.cos(angle), middle[1] + radius * Math.sin(angle)];
        });
        const reach = now.sketch.angle === "deg" ? Math.PI / 180 : now.sketch.angle === "rev" ? 2 * Math.PI : 1;
        const value = (values.value[driver] ?? 0) * (now.sketch.angle === "mrad" ? 1e-3 : reach);
        const hand: Point = [middle[0] + 1.15 * radius * Math.cos(value), middle[1] + 1.15 * radius * Math.sin(value)];
        return (
          <g key={driver}>
            <path d={pathOf(corners, false)} class="st-arc" />
            {!turns && [corners[0]!, corners[64]!].map((end, k) => (
              <path key={k} d={pathOf([middle, end], false)} class="st-end">
                <title>{(k ? upper : lower)?.why}</title>
              </path>
            ))}
            <path d={pathOf([middle, hand], false)} class="st-hand" />
          </g>
        );
      })}
    </g>
  );
}
