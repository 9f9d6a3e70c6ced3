// The drawing: shapes that move with their frames, names, pan and zoom, and what the pointer hits.
import { batch, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type ComponentChildren, createContext } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Camera, fitted, placeOf, type Size, worldTransform, zoomed } from "./camera";
import { anchor, type Besides, collide, labelOffsets, type Name, namesOf } from "./labels";
import { type Box, type Pose, somePoses, wholeBox } from "./pose";
import { Shapes } from "./shapes";
import type { Point, View } from "./types";

/** What the pointer is on, and where, in mechanism units. */
export interface Hit {
  part: string | null;
  id: string | null;
  x: number;
  y: number;
  event: PointerEvent;
}

export interface SceneProps {
  view: View;
  pose: ReadonlySignal<Pose>;
  /** The accessible name of the picture. */
  label: string;
  names?: ReadonlySignal<boolean>;
  /** Pixels around the points that names keep free. */
  clearance?: number;
  /** What else is drawn on top that names keep clear of. */
  besides?: (pose: Pose, camera: Camera, size: Size) => Besides;
  /** What the camera shows at first; default: all of the motion. */
  fit?: Box;
  /** A camera of the caller's; it is set to `fit` while it is null. */
  camera?: Signal<Camera | null>;
  /** True until somebody pans or zooms: the picture is fitted again when its size changes. */
  fits?: { current: boolean };
  /** Show all where the camera's box is the caller's: default, what `fit` says. */
  onShowAll?: () => void;
  /** The wheel zooms always, or only with Ctrl or the command key, so that a page scrolls. */
  wheel?: "always" | "ctrl" | "never";
  /** Groups in mechanism units below and above the shapes. */
  under?: ComponentChildren;
  over?: ComponentChildren;
  /** What is drawn on top, in pixels: see `StageContext`. */
  top?: ComponentChildren;
  /** Return true to take the pointer, so that the picture is not panned. */
  onPointerDown?: (hit: Hit) => boolean | void;
  onPointerMove?: (hit: Hit) => void;
  onPointerUp?: (hit: Hit) => void;
  /** A second finger came: what the first one began ends. */
  onPinch?: () => void;
  class?: string;
}

/** The camera and the size of the picture that something is drawn in. */
export interface Stage {
  camera: ReadonlySignal<Camera | null>;
  size: ReadonlySignal<Size>;
}

export const StageContext = createContext<Stage | null>(null);

const ON = signal(true);
/** Where the browser has it, the event that does not wait for the next frame. */
const MOVES = "onpointerrawupdate" in globalThis ? "pointerrawupdate" : "pointermove";
const KEYS: Record<string, Point> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export function Scene(props: SceneProps) {
  const { view, pose, names = ON, wheel = "ctrl" } = props;
  const svg = useRef<SVGSVGElement>(null);
  const world = useRef<SVGGElement>(null);
  const own = useMemo(() => ({ camera: signal<Camera | null>(null), size: signal<Size>([800, 520]) }), []);
  const camera = props.camera ?? own.camera;
  const { size } = own;
  const box = useMemo(() => props.fit ?? wholeBox(view, pose.peek()), [view, props.fit]);
  const home = () => fitted(box, size.peek());
  const alone = useRef(true);
  const untouched = props.fits ?? alone;

  useEffect(() => {
    untouched.current = true;
    const element = svg.current!; // the observer may speak up once more when the view is gone, and the reference with it
    const measure = () => {
      const { clientWidth, clientHeight } = element;
      if (clientWidth < 8 || clientHeight < 8) return;
      batch(() => {
        size.value = [clientWidth, clientHeight];
        if (untouched.current || !camera.peek()) camera.value = home();
      });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, camera]);

  const texts = useMemo(() => namesOf(view), [view]);
  useEffect(
    () =>
      effect(() => {
        const at = camera.value;
        if (at) world.current!.setAttribute("transform", worldTransform(at, size.value));
      }),
    [camera],
  );
  const placed = useRef<Placed>({ names: "", offsets: [], scale: 0, chosen: 0, took: 0 });
  useEffect(() => moveNames(svg.current!, view, texts, pose, camera, size, names, props, placed.current), [texts, pose, camera, names, props.besides]);

  const zoom = (factor: number, about?: Point) => {
    const at = camera.peek();
    if (!at) return;
    untouched.current = false;
    camera.value = zoomed(at, factor, about ?? [at.x, at.y]);
  };
  const reset = () => {
    if (props.onShowAll) return props.onShowAll();
    untouched.current = true;
    camera.value = home();
  };
  /** From the screen to pixels of the picture, kept while the pointer is down: asking for it lays the page out. */
  const screen = useRef<DOMMatrix | null>(null);
  const place = (event: { clientX: number; clientY: number }): Point => {
    const back = screen.current ?? svg.current!.getScreenCTM()!.inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(back);
    return placeOf(camera.peek() ?? home(), size.peek(), [x, y]);
  };
  const hit = (event: PointerEvent): Hit => {
    const on = (event.target as Element).closest("[data-part]");
    const [x, y] = place(event);
    return { part: on?.getAttribute("data-part") ?? null, id: on?.getAttribute("data-id") ?? null, x, y, event };
  };

  useEffect(() => {
    const element = svg.current!;
    const turn = (event: WheelEvent) => {
      if (wheel === "never" || (wheel === "ctrl" && !event.ctrlKey && !event.metaKey)) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.006 : 0.0015)), place(event));
    };
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [wheel, camera]);

  /** Two fingers zoom about their middle, and move what is between them. */
  const fingers = useRef(new Map<number, Point>());
  const pinch = (event: PointerEvent) => {
    const between = () => {
      const [[ax, ay], [bx, by]] = [...fingers.current.values()] as [Point, Point];
      return { clientX: (ax + bx) / 2, clientY: (ay + by) / 2, apart: Math.hypot(bx - ax, by - ay) || 1 };
    };
    const before = between();
    const held = place(before);
    fingers.current.set(event.pointerId, [event.clientX, event.clientY]);
    const after = between();
    zoom(after.apart / before.apart, held);
    const [x, y] = place(after);
    const at = camera.peek();
    if (at) camera.value = { ...at, x: at.x + held[0] - x, y: at.y + held[1] - y };
  };

  const panned = useRef<Point | null>(null);
  const down = (event: PointerEvent) => {
    if (event.pointerType === "touch" && wheel === "always") {
      fingers.current.set(event.pointerId, [event.clientX, event.clientY]);
      if (fingers.current.size === 2) {
        panned.current = null;
        props.onPinch?.();
      }
      if (fingers.current.size > 1) return;
    }
    if (event.button !== 0 && event.button !== 1) return;
    screen.current = svg.current!.getScreenCTM()!.inverse();
    if (props.onPointerDown?.(hit(event))) svg.current!.setPointerCapture(event.pointerId);
    else if (event.pointerType === "mouse" || wheel === "always") {
      panned.current = place(event);
      svg.current!.setPointerCapture(event.pointerId);
    }
  };
  const move = (event: PointerEvent) => {
    const at = camera.peek();
    if (fingers.current.size > 1) {
      if (fingers.current.size === 2 && fingers.current.has(event.pointerId)) pinch(event);
    } else if (panned.current && at) {
      const [x, y] = place(event);
      untouched.current = false;
      camera.value = { ...at, x: at.x + panned.current[0] - x, y: at.y + panned.current[1] - y };
    } else props.onPointerMove?.(hit(event));
  };
  const moves = useRef(move);
  moves.current = move;
  useEffect(() => {
    const element = svg.current!;
    const follow = (event: Event) => moves.current(event as PointerEvent);
    element.addEventListener(MOVES, follow);
    return () => element.removeEventListener(MOVES, follow);
  }, []);
  const up = (event: PointerEvent) => {
    const pinched = fingers.current.size > 1;
    fingers.current.delete(event.pointerId);
    if (pinched) return;
    screen.current = null;
    if (panned.current) panned.current = null;
    else props.onPointerUp?.(hit(event));
  };
  const key = (event: KeyboardEvent) => {
    const at = camera.peek();
    const way = KEYS[event.key];
    if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") reset();
    else if (way && at) {
      untouched.current = false;
      camera.value = { ...at, x: at.x + (40 * way[0]) / at.scale, y: at.y + (40 * way[1]) / at.scale };
    } else return;
    event.preventDefault();
  };

  return (
    <StageContext.Provider value={{ camera, size }}>
      <div class={`sk-scene ${props.class ?? ""}`}>
        <svg
          ref={svg}
          viewBox={`0 0 ${size.value[0]} ${size.value[1]}`}
          role="img"
          aria-label={props.label}
          tabindex={wheel === "never" ? undefined : 0}
          onPointerDown={down}
          onPointerUp={up}
          onPointerCancel={up}
          onDblClick={reset}
          onKeyDown={wheel === "never" ? undefined : key}
        >
          <g ref={world} class="sk-world">
            {props.under}
            <Shapes shapes={view.shapes} pose={pose} name="sk-shapes" />
            {props.over}
          </g>
          <g class="sk-names" aria-hidden="true">
            {texts.map(({ text, italic }) => (
              <text key={text} class={italic ? "sk-driver" : ""} text-anchor="middle" dominant-baseline="central">
                {text}
              </text>
            ))}
          </g>
          <g class="sk-top">{props.top}</g>
        </svg>
        {wheel !== "never" && (
          <div class="sk-zoom">
            <button type="button" onClick={() => zoom(1.25)} aria-label="Zoom in" title="Zoom in (+)">+</button>
            <button type="button" onClick={() => zoom(0.8)} aria-label="Zoom out" title="Zoom out (−)">−</button>
            <button type="button" onClick={reset} aria-label="Show all" title="Show all (0)">⤢</button>
          </div>
        )}
      </div>
    </StageContext.Provider>
  );
}

/** Names that cover each other are placed anew, but not more often than this [ms]: it takes as long as some frames. */
const PATIENCE = 400;
/** Nor does it take more than this part of the time: in a large drawing some names always cover each other. */
const SHARE = 0.05;

/** The offsets of names, at which scale and when they were chosen, and how long that took [ms]. */
interface Placed {
  names: string;
  offsets: Point[];
  scale: number;
  chosen: number;
  took: number;
}

/** Move the names with the pose; their offsets are chosen once for a structure and a zoom, and soon after a change. */
function moveNames(
  root: SVGElement,
  view: View,
  texts: Name[],
  pose: ReadonlySignal<Pose>,
  camera: ReadonlySignal<Camera | null>,
  size: ReadonlySignal<Size>,
  names: ReadonlySignal<boolean>,
  { clearance, besides }: SceneProps,
  placed: Placed,
) {
  const elements = root.querySelectorAll<SVGTextElement>(".sk-names > text");
  const shown: (string | null)[] = [];
  const of = texts.map(({ text }) => text).join("\n");
  const wait = () => Math.max(PATIENCE, placed.took / SHARE) - (performance.now() - placed.chosen);
  /** Increases when offsets of the drawing before this one have been kept for long enough. */
  const late = signal(0);
  // a point that is dragged is another drawing at every step
  const keeps = !view.samples && placed.names === of && wait() > 0;
  if (!keeps) placed.scale = 0;
  const timer = keeps ? setTimeout(() => (late.value += 1), wait()) : 0;
  let known = 0;
  const end = effect(() => {
    const at = camera.value;
    if (!at) return;
    const marks = (there: Pose) => besides?.(there, at, size.value) ?? { texts: [], lines: [] };
    const choose = () => {
      const begun = performance.now();
      const poses = somePoses(view.samples, 8);
      placed.offsets = labelOffsets(view, texts, poses.length ? poses : [pose.peek()], at, size.value, clearance, marks);
      [placed.names, placed.scale, placed.chosen] = [of, at.scale, performance.now()];
      placed.took = placed.chosen - begun;
    };
    if (late.value > known || Math.abs(Math.log(at.scale / (placed.scale || 1e-300))) > 0.2) choose();
    known = late.value;
    const anchors = texts.map((name) => (names.value ? anchor(name, pose.value, at, size.value) : null));
    const places = () => anchors.map((where, k): Point | null => where && [where[0] + placed.offsets[k]![0], where[1] + placed.offsets[k]![1]]);
    // where a mechanism is dragged, nobody knows the poses to come
    if (!view.samples && wait() < 0 && collide(texts, places(), marks(pose.value).texts)) choose();
    places().forEach((place, k) => {
      const next = place && `translate(${place[0].toFixed(1)} ${place[1].toFixed(1)})`;
      if (next === shown[k]) return;
      if (next) elements[k]!.setAttribute("transform", next);
      if (!next || !shown[k]) elements[k]!.style.display = next ? "" : "none";
      shown[k] = next;
    });
  });
  return () => {
    clearTimeout(timer);
    end();
  };
}
