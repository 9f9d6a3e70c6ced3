// Instant centres of links relative to the ground or to another link, and their centrodes.
import { useContext } from "preact/hooks";
import { pixel } from "./camera";
import { colourOf } from "./overlays";
import type { Player } from "./player";
import { matrix, moved, poseAt } from "./pose";
import { at, type CentrePair, type Report } from "./report_types";
import { StageContext } from "./scene";
import { pathOf } from "./shapes";
import type { Point, View } from "./types";

/** Return the centres relative to a base, each with the link that moves on it. */
export function centresOn(view: Report, base: string): { link: string; pair: CentrePair }[] {
  return view.centres!.pairs.flatMap((pair) =>
    pair.base === base ? [{ link: pair.link, pair }] : pair.link === base ? [{ link: pair.base, pair }] : [],
  );
}

/** Return the links that have a centre relative to another one, the ground first. */
export function basesOf(view: Report): string[] {
  const named = new Set(view.centres!.pairs.flatMap(({ link, base }) => [link, base]));
  return [...view.links].sort((a, b) => Number(b.ground) - Number(a.ground)).map(({ name }) => name).filter((name) => named.has(name));
}

/** The instant centre of each link relative to a base, in pixels. */
export function Centres({ view, player, base }: { view: Report; player: Player; base: string }) {
  const stage = useContext(StageContext)!;
  const [camera, size] = [stage.camera.value, stage.size.value];
  const k = player.index.value;
  if (!camera) return null;
  const ground = view.links.find(({ name }) => name === base)?.ground;
  const found = centresOn(view, base).flatMap(({ link, pair }) => {
    const [cx, cy] = [at(pair.x, k), at(pair.y, k)];
    if (cx === null || cy === null) return [];
    return [{ link, at: pixel(camera, size, [cx, cy]), colour: colourOf(view, link), words: ground ? link : `${link} / ${base}` }];
  });
  return <g class="sk-centres">{named(found).map((one) => <Centre key={one.link} {...one} />)}</g>;
}

/** Pixels between centres within which their names would cover each other: the first one then has all of them. */
const TOGETHER = 3;
/** Return centres with the names of those that lie on each other at one of them. */
export function named<T extends { at: Point; words: string }>(centres: T[]): T[] {
  const near = (a: T, b: T) => Math.hypot(a.at[0] - b.at[0], a.at[1] - b.at[1]) < TOGETHER;
  return centres.map((one) => {
    const alike = centres.filter((other) => near(one, other));
    return { ...one, words: alike[0] === one ? alike.map(({ words }) => words).join(", ") : "" };
  });
}

/** An instant centre, in pixels. */
export function Centre({ link, at: [x, y], colour, words }: { link: string; at: Point; colour: string; words: string }) {
  return (
    <g data-centre={link} stroke={colour}>
      <circle cx={x} cy={y} r={5.5} />
      <path d={`M${x - 9} ${y}H${x + 9}M${x} ${y - 9}V${y + 9}`} />
      <text x={x + 10} y={y - 9}>{words}</text>
    </g>
  );
}

/** The fixed centrode on the base and the moving one on the link, which rolls on it; in mechanism units. */
export function Centrodes({ view, player, link, base }: { view: Report; player: Player; link: string; base: string }) {
  const pair = centresOn(view, base).find((entry) => entry.link === link)?.pair;
  const samples = view.samples!;
  if (!pair) return null;
  const places = placesOf(pair);
  const [cx, cy, reach] = sightOf(view);
  const curve = (carrier: string, name: "fixed" | "moving") => {
    const local = places.map((place, k): Point | null => {
      const frame = poseAt(samples, k)[carrier];
      if (!place || !frame) return null;
      const [c, s] = [Math.cos(frame.angle), Math.sin(frame.angle)];
      const [dx, dy] = [place[0] - frame.x, place[1] - frame.y];
      return [c * dx + s * dy, -s * dx + c * dy];
    });
    const now = matrix(player.pose.value, { link: carrier });
    const drawn = now && unbroken(local.map((place) => place && moved(now, place)), [cx, cy, reach]);
    const colour = colourOf(view, view.links.find((entry) => entry.name === carrier)?.ground ? link : carrier);
    return drawn && <path d={pathOf(drawn)} data-centrode={name} class={name === "moving" ? "sk-moving" : ""} stroke={colour} />;
  };
  return (
    <g class="sk-centrodes">
      <clipPath id="sk-sight"><circle cx={cx} cy={cy} r={reach} /></clipPath>
      <g clip-path="url(#sk-sight)">
        {curve(base, "fixed")}
        {curve(link, "moving")}
      </g>
      {cutOff(view, base, link) && <circle class="sk-sight" cx={cx} cy={cy} r={reach} />}
    </g>
  );
}

function placesOf(pair: CentrePair): (Point | null)[] {
  return pair.x.map((x, k) => (x === null || pair.y[k] == null ? null : [x, pair.y[k]!]));
}

/** Return the middle and the radius of the circle within which centrodes are drawn. */
function sightOf(view: View): [cx: number, cy: number, reach: number] {
  const [x0, y0, x1, y1] = view.box!;
  return [(x0 + x1) / 2, (y0 + y1) / 2, Math.hypot(x1 - x0, y1 - y0)];
}

/** Return whether the centrodes of a link and its base leave that circle. */
export function cutOff(view: Report, base: string, link: string): boolean {
  const pair = link ? centresOn(view, base).find((entry) => entry.link === link)?.pair : undefined;
  if (!pair) return false;
  const [cx, cy, reach] = sightOf(view);
  return placesOf(pair).some((place) => !place || Math.hypot(place[0] - cx, place[1] - cy) > reach);
}

/** Break a curve where it passes from one place out of sight to another: it may have been at infinity in between. */
function unbroken(places: (Point | null)[], [cx, cy, reach]: [number, number, number]): (Point | null)[] {
  const found: (Point | null)[] = [];
  const far = (place: Point) => Math.hypot(place[0] - cx, place[1] - cy) > reach;
  let before: Point | null = null;
  for (const place of places) {
    const jump = place && before && Math.hypot(place[0] - before[0], place[1] - before[1]) > reach;
    if (jump && (far(place) || far(before!))) found.push(null);
    found.push(place);
    before = place;
  }
  return found;
}
