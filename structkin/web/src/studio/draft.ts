// A view of a sketch that is not a mechanism yet: its links as lines, as drawn.
import type { Shape, View } from "../types";
import type { State } from "./types";

const GROUND = "#555555";
const LOOSE = "#7a8794";

/** Return a scene that includes the links not connected to the ground, as drawn. */
export function withLoose(scene: View | null, now: State): View {
  if (!scene) return draftView(now);
  return now.loose.length ? { ...scene, shapes: [...scene.shapes, ...sketched(now, now.loose)] } : scene;
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
      fill: points.length > 2 ? "#e8ecf0" : null,
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
