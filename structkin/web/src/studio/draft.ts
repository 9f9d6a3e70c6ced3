// A view of a sketch that is not a mechanism yet: its links as lines, as drawn.
import type { Shape, View } from "../types";
import type { State } from "./types";

const GROUND = "#555555";
const LOOSE = "#7a8794";
const PALE = "#e8ecf0";

/** Return a scene that includes the links not connected to the ground, as drawn. */
export function withLoose(scene: View | null, now: State): View {
  if (!scene) return draftView(now);
  return now.loose.length ? { ...scene, shapes: [...scene.shapes, ...sketched(now, now.loose)] } : scene;
}

/**
 * Return a view in the colours of the page. A link that no group determines is unfinished, not wrong: it is grey. On dark
 * paper, light and dark change places.
 */
export function shaded(view: View, dark: boolean): View {
  const open = view.links.filter(({ group, ground }) => group === null && !ground);
  const parts = new Set(open.map(({ name }) => `link:${name}`));
  const tone = (colour: string | null) => {
    const calm = colour && colour === open[0]?.colour ? LOOSE : colour;
    return dark && calm ? turned(calm) : calm;
  };
  const shapes = view.shapes.map((shape) => ({
    ...shape,
    fill: tone(shape.fill && parts.has(shape.part) ? PALE : shape.fill),
    stroke: tone(shape.stroke),
  }));
  const points = view.points.map((point) => ({ ...point, colour: tone(point.colour)! }));
  return { ...view, shapes, points };
}

const NAMED: Record<string, string> = { black: "#000000", white: "#ffffff" };

/** On dark paper a line is at least this light; a pale colour is an area, and becomes dark. */
const [LINE, AREA] = [0.6, 0.8];
/** Return a colour of the same hue whose lightness is mirrored, from that of dark paper to nearly white. */
export function turned(name: string): string {
  const colour = NAMED[name] ?? name;
  const parts = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16) / 255);
  const [low, high] = [Math.min(...parts), Math.max(...parts)];
  const light = (low + high) / 2;
  const next = Math.max(0.12 + 0.8 * (1 - light), light < AREA ? LINE : 0);
  // the colours at full strength that both lightnesses allow
  const room = (at: number) => 1 - Math.abs(2 * at - 1);
  const strength = room(light) ? Math.min(room(next) / room(light), 1) : 0;
  const mixed = parts.map((part) => Math.min(Math.max(next + (part - light) * strength, 0), 1));
  return "#" + mixed.map((part) => Math.round(255 * part).toString(16).padStart(2, "0")).join("") + colour.slice(7);
}

function sketched({ sketch }: State, links: string[]): Shape[] {
  const shapes: Shape[] = [];
  for (const name of links) {
    const members = sketch.links[name] ?? [];
    const points = members.map((member) => sketch.points[member]).filter((place) => !!place);
    if (name === "ground" || points.length < 2) continue;
    shapes.push({
      id: `link:${name}`,
      part: `link:${name}`,
      points,
      circle: null,
      closed: points.length > 2,
      frame: { link: "ground" },
      fill: points.length > 2 ? PALE : null,
      stroke: LOOSE,
      width: 4,
      dash: null,
      opacity: 1,
      layer: 1,
    });
  }
  return shapes;
}

function draftView(now: State): View {
  const { sketch, document } = now;
  return {
    format: 1,
    title: document.title ?? "",
    language: "en",
    units: { length: sketch.unit, angle: sketch.angle },
    symbol: sketch.size / 30,
    links: Object.keys(sketch.links).map((name) => ({ name, group: null, colour: LOOSE, ground: name === "ground" })),
    shapes: sketched(now, Object.keys(sketch.links)),
    points: Object.entries(sketch.points).map(([name, at]) => ({
      name,
      link: "ground",
      at,
      pivot: !!sketch.links.ground?.includes(name),
      joint: false,
      trace: false,
      colour: GROUND,
    })),
    drivers: [],
    groups: [],
  };
}
