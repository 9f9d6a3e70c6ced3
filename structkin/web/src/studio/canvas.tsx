// The drawing under edit: the scene, handles and ghosts over it, and what the pointer does with each tool.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Camera, pixel, type Size } from "../camera";
import { type Box, grown, type Pose, spot } from "../pose";
import { type Hit, Scene } from "../scene";
import type { Point, View } from "../types";
import { Dimensions, Typed } from "./dimensions";
import { shaded, withLoose } from "./draft";
import { Layers } from "./layers";
import { drawnOf, Loads } from "./loads";
import { Arcs, Backdrop, camera, cross, frame, Ghosts, Handles, over, Paths, pixels, rubber } from "./over";
import { Grid, gridStep, ScaleBar } from "./ruler";
import { asked, dark, dimensions, drag, edit, ghosts, mode, newStroke, opened, playing, pose, pull, RUN, scene, seenAt, selected, several, slotted, snap, state, take, tell, tool, typed, wide } from "./store";
import { Pulled } from "./simulate";
import type { State } from "./types";
import { isWish, wishDown, WishMarks, wishMove, wishPinch, wishUp } from "./wish_marks";

/** Pixels within which a mouse and a finger are on a point, and within which coordinates snap to those of others. */
const [MOUSE, FINGER] = [11, 22];
let reach = MOUSE;
const SNAP = 6;
/** Pixels that a point is dragged before it moves: a click leaves it where it is. */
const CLICK = 3;

const WAYS: Record<string, Point> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

type Action =
  | { kind: "drive"; link: string; local: Point }
  | { kind: "pull" }
  | { kind: "move"; point: string; stroke: number; from: Point; moved: boolean; toggle: string[] }
  | { kind: "several"; points: string[]; stroke: number; from: Point; start: Point; moved: boolean; toggle: string[] }
  | { kind: "frame"; from: Point }
  | { kind: "draw"; from: Point; point: string | null };

export function Canvas() {
  const now = state.value!;
  const action = useRef<Action | null>(null);
  const editing = mode.value === "edit";
  const view = useMemo(() => shaded(withLoose(scene.value, now), dark.value), [scene.value, now, dark.value]);
  const besides = useMemo(() => (at: Pose, camera: Camera, size: Size) => drawnOf(now.loads, at, camera, size), [now.loads]);
  const first = useMemo(() => now.revision, [opened.value]);
  const untouched = useRef(true);
  /** The box of the motion once that is known: the view is then fitted again, if nothing has changed since it was. */
  const late = useRef<View["box"]>(undefined);
  const motion = wide.value?.revision === now.revision && !editing ? wide.value.box : undefined;
  if (motion && now.revision === first && untouched.current) late.current = motion;
  const fit = useMemo(
    () => boxOf(now, editing ? {} : placesIn(pose.peek(), now, view), view.box, motion),
    [opened.value, now.sketch.unit, late.current],
  );
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { kind, name } = selected.value ?? {};
    // a pin is a point and a joint
    const parts = kind === "points" ? [`point:${name}`, `joint:${name}`] : kind === "forces" ? [`spring:${name}`] : kind ? [`${kind.slice(0, -1)}:${name}`] : [];
    for (const shape of box.current!.querySelectorAll<SVGElement>(".sk-shapes > *"))
      shape.classList.toggle("st-chosen", parts.includes(shape.dataset.part ?? ""));
  }, [view, selected.value]);

  useEffect(() => {
    if (!typed.peek()) return;
    typed.value = false;
    const { clientWidth, clientHeight } = box.current!.querySelector(".sk-scene > svg")!;
    const away = Object.values(now.sketch.points).some((at) => {
      const [x, y] = camera.peek() ? pixel(camera.peek()!, [clientWidth, clientHeight], at) : [0, 0];
      return x < 0 || y < 0 || x > clientWidth || y > clientHeight;
    });
    if (away) opened.value += 1;
  }, [now.revision]);

  const down = (raw: Hit): boolean => {
    if (raw.event.button !== 0) return false;
    reach = raw.event.pointerType === "touch" ? FINGER : MOUSE;
    const at: Point = [raw.x, raw.y];
    const hit = raw.part ? raw : { ...raw, part: linkNear(now, editing ? now.sketch.points : placesIn(seenAt(raw.event), now, view), at) };
    if (asked.peek()) {
      const point = pointAt(now.sketch.points, at);
      take({ link: partOf(hit, "link"), point, joint: partOf(hit, "joint") ?? point });
      return true;
    }
    if (mode.peek() === "drive") {
      // the place was aimed at in the pose that was seen, which a point may have left by now
      const seen = [seenAt(hit.event), pose.peek()];
      const point = seen.map((one) => pointAt(placesIn(one, now, view), at)).find((name) => name) ?? null;
      const found = grip(view, hit, at, seen[0]!);
      select(hit, point);
      if (!found) return false;
      ghosts.value = null;
      if (playing.peek() === RUN) {
        pull.value = { ...found, to: at };
        action.current = { kind: "pull" };
        return true;
      }
      playing.value = null;
      action.current = { kind: "drive", ...found };
      return true;
    }
    const point = pointAt(now.sketch.points, at);
    const aimed = aim(now, hit);
    const using = tool.peek();
    if (isWish(using)) {
      wishDown(using, at, aimed.at, pixels(reach));
      return true;
    }
    switch (using) {
      case "select": {
        const group = several.peek();
        const members = point ? [point] : (now.sketch.links[partOf(hit, "link") ?? ""] ?? []);
        const grouped = group.length > 1 && members.every((one) => group.includes(one));
        if (members.length && (grouped || (raw.event.shiftKey && !point))) {
          const points = group.includes(members[0]!) ? [members[0]!, ...group.filter((one) => one !== members[0])] : members;
          const start = now.sketch.points[points[0]!]!;
          action.current = { kind: "several", points, stroke: newStroke(), from: at, start, moved: false, toggle: raw.event.shiftKey ? members : [] };
          return true;
        }
        if (raw.event.shiftKey && !point) {
          action.current = { kind: "frame", from: at };
          return true;
        }
        if (!raw.event.shiftKey) {
          several.value = [];
          select(hit, point);
        }
        if (!point) return false;
        action.current = { kind: "move", point, stroke: newStroke(), from: at, moved: false, toggle: raw.event.shiftKey ? members : [] };
        return true;
      }
      case "link":
      case "slider":
      case "cylinder":
        if (using !== "link" && !aimed.point) {
          tell(using === "slider" ? "Start at a point: it will slide" : "Start at a point of a link", true);
          return true;
        }
        action.current = { kind: "draw", from: aimed.at, point: aimed.point };
        return true;
      case "point":
        if (!aimed.point) edit({ op: "add_point", at: aimed.at, links: linkUnder(now, hit, aimed.at) });
        return true;
      case "ground":
        toggleGround(now, aimed, hit);
        return true;
      case "driver":
        driveAt(now, point, hit);
        return true;
    }
  };

  const move = (hit: Hit) => {
    const at: Point = [hit.x, hit.y];
    const doing = action.current;
    if (editing && isWish(tool.peek())) wishMove(hit, aim(now, hit).at);
    else if (!doing) {
      over.value = editing ? pointAt(now.sketch.points, at) : null;
    } else if (doing.kind === "drive") {
      drag(doing.link, doing.local, at);
    } else if (doing.kind === "pull") {
      if (pull.peek()) pull.value = { ...pull.peek()!, to: at };
    } else if (doing.kind === "move") {
      doing.moved ||= Math.hypot(at[0] - doing.from[0], at[1] - doing.from[1]) > pixels(CLICK);
      if (!doing.moved) return;
      const target = aim(now, hit, doing.point);
      over.value = target.point;
      edit({ op: "move_point", point: doing.point, at: target.at }, doing.stroke);
    } else if (doing.kind === "several") {
      doing.moved ||= Math.hypot(at[0] - doing.from[0], at[1] - doing.from[1]) > pixels(CLICK);
      if (!doing.moved) return;
      const [x, y] = doing.start;
      // the first of them snaps to the grid, not to points: it would take the others along
      const to = onGrid([x + at[0] - doing.from[0], y + at[1] - doing.from[1]], hit.event);
      edit({ op: "transform", points: doing.points, to }, doing.stroke);
    } else if (doing.kind === "frame") {
      frame.value = [doing.from, at];
    } else {
      const end = aim(now, hit);
      over.value = end.point;
      rubber.value = [doing.from, end.at];
    }
  };

  const cancel = () => ([action.current, rubber.value, over.value, frame.value, pull.value] = [null, null, null, null, null]);
  const up = (hit: Hit) => {
    const doing = action.current;
    cancel();
    wishUp();
    if (doing?.kind === "move" && doing.moved) {
      const target = aim(state.peek()!, hit, doing.point).point;
      if (target) edit({ op: "merge_points", keep: target, drop: doing.point }, doing.stroke);
    } else if ((doing?.kind === "several" || doing?.kind === "move") && !doing.moved) pick(doing.toggle);
    else if (doing?.kind === "frame") {
      const [[a, b], [c, d]] = [doing.from, [hit.x, hit.y]];
      const inside = Object.entries(now.sketch.points).filter(([, [x, y]]) => (x - a) * (x - c) <= 0 && (y - b) * (y - d) <= 0);
      several.value = inside.map(([name]) => name);
      selected.value = null;
    } else if (doing?.kind === "draw") draw(now, doing, hit);
  };

  useEffect(() => (tool.value === "select" || !editing ? void (cross.value = null) : undefined), [tool.value, editing]);
  /** The tools by keyboard: the arrows move a cross, Enter is a click, and of a line its two ends. */
  const key = (event: KeyboardEvent) => {
    const way = WAYS[event.key];
    if (!editing || tool.peek() === "select" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") [action.current, rubber.value, cross.value] = [null, null, null];
    if ((!way && event.key !== "Enter") || !(event.target instanceof SVGSVGElement)) return;
    event.preventDefault();
    event.stopPropagation();
    const { x, y } = camera.peek()!;
    const step = gridStep(pixels(1)) * (event.shiftKey ? 0.1 : 1);
    const begun = cross.peek() ?? ([x, y].map((part) => Math.round(part / step) * step) as Point);
    const [cx, cy] = (cross.value = way ? [begun[0] + step * way[0], begun[1] + step * way[1]] : begun);
    const place = pixel(camera.peek()!, [event.target.clientWidth, event.target.clientHeight], [cx, cy]);
    const { left, top } = event.target.getBoundingClientRect();
    const there = { clientX: left + place[0], clientY: top + place[1], button: 0, shiftKey: event.shiftKey };
    const part = document.elementFromPoint(there.clientX, there.clientY)?.closest("[data-part]")?.getAttribute("data-part") ?? null;
    const hit: Hit = { part, id: null, x: cx, y: cy, event: new PointerEvent("pointerdown", there) };
    if (way) move(hit);
    else if (action.current) up(hit);
    else down(hit);
  };

  return (
    <div ref={box} onKeyDownCapture={key} class={`st-canvas ${asked.value ? "st-asks" : ""}`}>
      <Scene
        class={`st-scene st-${mode.value} st-tool-${tool.value}`}
        view={view}
        pose={pose}
        besides={besides}
        label={`Drawing of ${now.document.title || "the mechanism"}`}
        fit={fit}
        camera={camera}
        fits={untouched}
        onShowAll={() => (opened.value += 1)}
        wheel="always"
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPinch={() => {
          cancel();
          wishPinch();
        }}
        under={
          <>
            {editing && <Grid />}
            <Backdrop />
            <Ghosts view={view} />
          </>
        }
        top={
          <>
            <ScaleBar unit={now.sketch.unit} />
            <Loads marks={now.loads} />
            {editing ? <Dimensions now={now} /> : <Layers view={view} />}
          </>
        }
        over={
          <>
            {!editing && <Paths view={view} />}
            {!editing && <Arcs view={view} />}
            {!editing && <Pulled />}
            {editing && <Handles now={now} />}
            <WishMarks />
          </>
        }
      />
      {editing && tool.value === "slider" && (
        <label class="st-snap st-slotted">
          <input type="checkbox" checked={slotted.value} onChange={(event) => (slotted.value = event.currentTarget.checked)} />
          Pin in a slot, without a block
        </label>
      )}
      {editing && (
        <label class="st-snap" title="N; hold Shift or Alt to place a point freely">
          <input type="checkbox" checked={snap.value} onChange={(event) => (snap.value = event.currentTarget.checked)} />
          Snap to grid
        </label>
      )}
      {editing && (
        <label class="st-snap st-measured">
          <input type="checkbox" checked={dimensions.value} onChange={(event) => (dimensions.value = event.currentTarget.checked)} />
          Dimensions
        </label>
      )}
      {editing && <Typed />}
    </div>
  );
}

// --- where things are ----------------------------------------------------------------------------------------

/** Return the box of the sketch and of other places, with a rim, and of what the scene and the motion need. */
function boxOf({ sketch }: State, places: Record<string, Point>, ...needed: View["box"][]): Box {
  let box: Box | null = null;
  for (const at of [...Object.values(sketch.points), ...Object.values(places)]) box = grown(box, at);
  if (!box) return { x0: -50, y0: -30, x1: 50, y1: 40 };
  const { x0, y0, x1, y1 } = box;
  const rim = Math.max(0.35 * Math.max(x1 - x0, y1 - y0), 1e-9);
  const wide = { x0: x0 - rim, y0: y0 - rim, x1: x1 + rim, y1: y1 + rim };
  return needed.reduce((held, needs) => (needs ? grown(grown(held, [needs[0], needs[1]]), [needs[2], needs[3]]) : held), wide);
}

/** Return where points are drawn in a pose. */
function placesIn(shown: Pose, { sketch, loose }: State, { points }: View): Record<string, Point> {
  const places: Record<string, Point> = {};
  for (const name of loose.flatMap((link) => sketch.links[link]!)) places[name] = sketch.points[name]!;
  for (const { name, link, at } of points) {
    const place = spot(shown, [link, ...at]);
    if (place) places[name] = place;
  }
  return places;
}

/** Return the point at a place, other than `but`. */
function pointAt(points: Record<string, Point>, [x, y]: Point, but?: string): string | null {
  let [best, least]: [string | null, number] = [null, pixels(reach)];
  for (const [name, [px, py]] of Object.entries(points)) {
    const distance = Math.hypot(px - x, py - y);
    if (name !== but && distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** Return the part that is the link whose line is next to a place: lines are thin, and some are dashed. */
function linkNear({ sketch }: State, places: Record<string, Point>, at: Point): string | null {
  let [best, least]: [string | null, number] = [null, pixels(SNAP)];
  for (const [link, members] of Object.entries(sketch.links)) {
    if (link === "ground") continue;
    const corners = members.map((name) => places[name]).filter((place) => !!place);
    corners.forEach((from, k) => {
      const distance = distanceTo(at, from, corners[(k + 1) % corners.length]!);
      if (distance < least) [best, least] = [`link:${link}`, distance];
    });
  }
  return best;
}

function distanceTo([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const part = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
  const t = Math.min(Math.max(part, 0), 1);
  return Math.hypot(ax + t * dx - x, ay + t * dy - y);
}

interface Aim {
  at: Point;
  point: string | null;
}

/**
 * Return the place that the pointer means, and the point there, other than `but`: a point, else the x or y of one, else
 * the grid. Shift or Alt frees it from all but points.
 */
function aim(now: State, { x, y, event }: Hit, but?: string): Aim {
  const { points } = now.sketch;
  const close = pointAt(points, [x, y], but);
  if (close) return { at: points[close]!, point: close };
  if (event.shiftKey || event.altKey) return { at: [x, y], point: null };
  const others = Object.entries(points).filter(([name]) => name !== but);
  const step = gridStep(pixels(1));
  const along = (axis: 0 | 1, value: number): number => {
    const other = others.find(([, place]) => Math.abs(place[axis] - value) < pixels(SNAP));
    if (other) return other[1][axis];
    return snap.peek() ? Number((Math.round(value / step) * step).toPrecision(12)) : value;
  };
  const at: Point = [along(0, x), along(1, y)];
  // The grid may lead to a point that the pointer is not close to.
  const there = others.find(([, place]) => Math.hypot(place[0] - at[0], place[1] - at[1]) < pixels(1));
  return { at, point: there ? there[0] : null };
}

/** Return the moving link that the pointer grips in the pose that was seen, and the place in its frame. */
function grip(view: View, hit: Hit, at: Point, seen: Pose): { link: string; local: Point } | null {
  let link = partOf(hit, "link");
  let nearest = pixels(reach + 4);
  for (const point of view.points) {
    const place = spot(seen, [point.link, ...point.at]);
    const holder = point.link === "ground" ? null : point.link;
    if (!place || !holder) continue;
    const distance = Math.hypot(place[0] - at[0], place[1] - at[1]);
    if (distance < nearest) [link, nearest] = [holder, distance];
  }
  if (!link) {
    const shape = view.shapes.find(({ id }) => id === hit.id);
    const frame = shape?.frame;
    link = !frame ? null : "link" in frame ? frame.link : "along" in frame ? frame.at[0] : frame.toward[0];
  }
  const frame = link ? seen[link] : null;
  if (!link || link === "ground" || !frame) return null;
  const [c, s] = [Math.cos(frame.angle), Math.sin(frame.angle)];
  const [dx, dy] = [at[0] - frame.x, at[1] - frame.y];
  return { link, local: [c * dx + s * dy, c * dy - s * dx] };
}

/** Return a place on the grid, or the place itself where the grid is off. */
function onGrid(at: Point, { shiftKey, altKey }: PointerEvent): Point {
  const step = gridStep(pixels(1));
  if (shiftKey || altKey || !snap.peek()) return at;
  return [Number((Math.round(at[0] / step) * step).toPrecision(12)), Number((Math.round(at[1] / step) * step).toPrecision(12))];
}

/** Add points, if there are any, to those that are selected together, with the one selected before; or take them away. */
function pick(points: string[]) {
  if (!points.length) return;
  const { kind, name } = selected.peek() ?? {};
  const before = several.peek().length || kind !== "points" ? several.peek() : [name!];
  const has = points.every((point) => before.includes(point));
  const after = has ? before.filter((point) => !points.includes(point)) : [...new Set([...before, ...points])];
  selected.value = after.length === 1 ? { kind: "points", name: after[0]! } : null;
  several.value = after.length > 1 ? after : [];
}

function partOf({ part }: Hit, kind: string): string | null {
  return part?.startsWith(`${kind}:`) ? part.slice(kind.length + 1) : null;
}

/** Return the moving link at the place where a new point lies, which may have snapped away from the pointer; else that under it. */
function linkUnder(now: State, hit: Hit, [x, y]: Point): string[] {
  const { clientX, clientY } = hit.event;
  const scale = camera.peek()!.scale;
  const there = linksAt({ clientX: clientX + scale * (x - hit.x), clientY: clientY - scale * (y - hit.y) });
  const near = linkNear(now, now.sketch.points, [x, y])?.slice(5);
  return [...there, near ?? "", partOf(hit, "link") ?? ""].filter((link) => link && link !== "ground").slice(0, 1);
}

/** Return the moving links under the pointer; while it is captured, its events do not tell. */
function linksAt({ clientX, clientY }: { clientX: number; clientY: number }): string[] {
  const parts = document.elementsFromPoint(clientX, clientY).map((element) => element.closest("[data-part]")?.getAttribute("data-part"));
  return parts.flatMap((part) => (part?.startsWith("link:") ? [part.slice(5)] : []));
}

function select(hit: Hit, point: string | null) {
  const [link, joint, driver] = [partOf(hit, "link"), partOf(hit, "joint"), partOf(hit, "driver")];
  const load = partOf(hit, "load") ?? partOf(hit, "spring");
  if (load) selected.value = { kind: "forces", name: load };
  else if (point) selected.value = { kind: "points", name: point };
  else if (driver) selected.value = { kind: "drivers", name: driver };
  else if (joint) {
    const isPoint = joint in state.peek()!.sketch.points;
    selected.value = { kind: isPoint ? "points" : "joints", name: joint };
  } else selected.value = link ? { kind: "links", name: link } : null;
}

// --- tools ---------------------------------------------------------------------------------------------------

function draw(now: State, { from, point }: { from: Point; point: string | null }, hit: Hit) {
  const { at: end, point: target } = aim(now, hit);
  const length = Math.hypot(end[0] - from[0], end[1] - from[1]);
  if (tool.peek() === "link") {
    if (length < pixels(reach)) {
      if (point) selected.value = { kind: "points", name: point };
      tell("Drag from one end of the link to the other");
    } else edit({ op: "add_link", points: [point ?? from, target ?? end] });
  } else if (tool.peek() === "cylinder") {
    const stray = [point!, target ?? ""].find((name) => now.stray.includes(name));
    if (stray) tell(`${stray} is on no link yet: add it to one in its panel first`, true);
    else if (!target || target === point) tell("End at a point of another link", true);
    else
      edit({
        op: "put",
        section: "drivers",
        entry: { between: [point, target], speed: `${Number((0.1 * length).toPrecision(2))} ${now.sketch.unit}/s` },
      }, undefined, true);
  } else {
    const near = linkNear(now, now.sketch.points, end)?.slice(5) ?? "";
    const link = [...linksAt(hit.event), near].find((name) => now.sketch.links[name] && !now.sketch.links[name].includes(point!));
    const along = link && link !== "ground" ? now.sketch.links[link]!.slice(0, 2) : [];
    const [p, q] = along.map((name) => now.sketch.points[name]);
    if (!(p && q) && length < pixels(reach)) return tell("Drag along the guide, or to the link that has the slot");
    const ways = p && q ? [q[0] - p[0], q[1] - p[1]] : [end[0] - from[0], end[1] - from[1]];
    const axis = ways.map((part) => Number((part / Math.hypot(...ways)).toFixed(4)));
    const aside = p ? (from[1] - p[1]) * axis[0]! - (from[0] - p[0]) * axis[1]! : 0;
    // a pin that is not on the line of the link slides beside it
    const guide = p && q && Math.abs(aside) < 1e-3 * Math.hypot(...ways) ? { along } : { axis };
    if (!slotted.peek()) return edit({ op: "slide", point, slot: p && q ? link : "ground", axis });
    edit({ op: "put", section: "joints", entry: { type: "pin-in-slot", pin: point, slot: p && q ? link : "ground", ...guide } });
  }
}

function toggleGround(now: State, { at, point }: Aim, hit: Hit) {
  const { sketch } = now;
  if (!point) edit({ op: "add_point", at, links: ["ground", ...linkUnder(now, hit, at)] });
  else if (sketch.links.ground?.includes(point)) edit({ op: "detach", point, link: "ground" });
  else edit({ op: "attach", point, link: "ground" });
}

export function driveAt(now: State, point: string | null, hit?: Hit) {
  const id = point ?? (hit ? partOf(hit, "joint") : null);
  const joint = now.structure?.joints.find((one) => one.id === id);
  if (!joint) return tell("Click a joint: a pin that links share, or a slider", true);
  const links = joint.links.filter((link) => !link.startsWith("@"));
  const own = now.structure!.drivers.map((driver) => driver.id);
  const instead = own.length > 1 && selected.peek()?.kind === "drivers" ? selected.peek()!.name : "";
  const pair = links.includes("ground") ? ["ground", links.find((link) => link !== "ground")] : links.slice(0, 2);
  edit({ op: "drive", joint: joint.id, instead, ...(links.length > 2 ? { links: pair } : {}) });
}
