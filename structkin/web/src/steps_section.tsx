// The solution step by step, and each group by itself.
import { computed, signal } from "@preact/signals";
import { useContext, useMemo } from "preact/hooks";
import { pixel } from "./camera";
import type { Player } from "./player";
import { type Box, bounds, grown, type Pose, poseAt, somePoses, spot, wholeBox } from "./pose";
import { at, type LinkFrames, type Locus, type Report, type Step } from "./report_types";
import { Scene, StageContext } from "./scene";
import { Shapes } from "./shapes";
import type { Point, Shape } from "./types";

/** Return the group of a link; -1 for the ground. */
function groupAt(view: Report, name: string): number {
  return view.links.find((link) => link.name === name)?.group ?? -1;
}

/** Return the last group that a shape moves with; null for what stands on the ground. */
function groupOf(view: Report, { frame }: Shape): number | null {
  const ends = "link" in frame ? [frame.link] : [frame.at[0], "along" in frame ? frame.along[0] : frame.toward[0]];
  const groups = ends.map((name) => groupAt(view, name));
  const last = Math.max(...groups);
  return last < 0 ? null : last;
}

/** Return the box of a step: the whole mechanism over its motion, and the other modes of the step's group. */
function boxOf(view: Report, index: number, own: Shape[]): Box {
  const { modes } = view.steps!.groups[index]!;
  const poses = somePoses(view.samples, 40);
  const others = (modes ?? []).flatMap((frames): Pose[] => {
    const n = Object.values(frames)[0]?.x.length ?? 0;
    const step = Math.max(1, Math.floor(n / 40));
    return Array.from({ length: Math.ceil(n / step) }, (_, k) => ghostPose({}, frames, k * step));
  });
  const links = own.filter(({ frame }) => "link" in frame);
  const boxes = [wholeBox(view, {}), bounds(view.shapes, poses), bounds(links, others)].filter((box) => box !== null);
  return boxes.reduce((all, { x0, y0, x1, y1 }) => grown(grown(all, [x0, y0]), [x1, y1]));
}

/** Return a box grown about its middle to a width and height. */
function atLeast(box: Box, [width, height]: Point): Box {
  const [x, y] = [Math.max(0, width - (box.x1 - box.x0)) / 2, Math.max(0, height - (box.y1 - box.y0)) / 2];
  return { x0: box.x0 - x, y0: box.y0 - y, x1: box.x1 + x, y1: box.y1 + y };
}

/** Return a pose with some links elsewhere. */
function ghostPose(pose: Pose, frames: LinkFrames, k: number): Pose {
  const moved = Object.entries(frames).map(([link, { x, y, angle }]) => {
    const numbers = [x[k], y[k], angle[k]];
    const known = numbers.every((value) => value != null);
    return [link, known ? { x: x[k]!, y: y[k]!, angle: angle[k]! } : null] as const;
  });
  return { ...pose, ...Object.fromEntries(moved) };
}

/** Return the names that a step needs: its inputs, its outputs, and the points of its links. */
function namedIn(view: Report, index: number): Set<string> {
  const step = view.steps!.groups[index]!;
  return new Set([...step.points, ...step.found, ...step.inputs.flatMap(({ point }) => point ?? [])]);
}

/** A sample and its pose: those of the player, or one that stays. */
type Shown = Pick<Player, "index" | "pose">;

/** Return the other modes that a step shows at a sample; those that are known in one pose only, in that pose. */
function ghostsOf(view: Report, index: number, k: number): LinkFrames[] {
  const { sample, groups } = view.steps!;
  const { live, modes = [] } = groups[index]!;
  return live || k === sample ? modes : [];
}

/** Return what is said of a step at a sample, below its reason. */
function wordsOf(view: Report, index: number, k: number): string[] {
  const step = view.steps!.groups[index]!;
  return [lociWords(step), modeWords(step, ghostsOf(view, index, k), k), step.note ? `About its modes: ${step.note}.` : ""].filter(Boolean);
}

/** The drawing of a step: its group, with what is known before it in pale. */
function StepScene({ view, player, index }: { view: Report; player: Shown; index: number }) {
  const step = view.steps!.groups[index]!;
  const group = view.groups[index]!;
  const homes = useMemo(() => new Map(view.shapes.map((shape) => [shape.id, groupOf(view, shape)])), [view]);
  const drawn = useMemo(() => {
    const named = namedIn(view, index);
    const shapes = view.shapes
      .filter((shape) => (homes.get(shape.id) ?? -1) <= index)
      .map((shape) => ({ ...shape, opacity: homes.get(shape.id) === index || homes.get(shape.id) === null ? 1 : 0.32 }));
    return {
      ...view,
      shapes,
      points: view.points.filter((point) => named.has(point.name) || groupAt(view, point.link) <= index),
      drivers: view.drivers.filter((driver) => step.drivers.includes(driver.id)),
    };
  }, [view, index]);
  const own = useMemo(() => view.shapes.filter((shape) => homes.get(shape.id) === index && !shape.part.startsWith("driver:")), [view, index]);
  const fit = useMemo(() => boxOf(view, index, own), [view, index]);
  const ghosts = ghostsOf(view, index, player.index.value);
  return (
    <Scene
      view={drawn}
      pose={player.pose}
      fit={fit}
      clearance={5}
      label={`Step ${index + 1}: ${group.label}`}
      under={
        <>
          {step.loci.map((locus, k) => <LocusMark key={`${index}.${k}`} view={view} locus={locus} player={player} colour={group.colour} />)}
          {ghosts.map((frames, k) => <Ghost key={`${index}.${k}`} shapes={own} player={player} frames={frames} live={step.live} />)}
        </>
      }
      top={<Pins view={view} step={step} player={player} colour={group.colour} />}
    />
  );
}

/** All steps in one pose, for paper: nothing can be clicked there. */
function PrintedSteps({ view }: { view: Report }) {
  const { sample, groups } = view.steps!;
  const still = useMemo((): Shown => ({ index: signal(sample), pose: signal(poseAt(view.samples!, sample)) }), [view]);
  return (
    <div class="sk-printed" aria-hidden="true">
      {view.groups.map((group) => (
        <figure key={group.index} class="sk-group" style={{ "--group": group.colour }}>
          <figcaption>
            <span class="sk-number">{group.index + 1}</span> {group.words}
          </figcaption>
          <StepScene view={view} player={still} index={group.index} />
          <p>
            It {groups[group.index]!.reason} {wordsOf(view, group.index, sample).join(" ")}
          </p>
        </figure>
      ))}
    </div>
  );
}

export function StepsSection({ view, player }: { view: Report; player: Player }) {
  const current = useMemo(() => signal(0), []);
  const index = current.value;
  const { sample, groups } = view.steps!;
  const step = groups[index]!;
  const modes = step.modes ?? [];
  const fixedModes = !step.live && modes.length > 0;
  const ghosts = ghostsOf(view, index, player.index.value);
  const words = wordsOf(view, index, player.index.value);
  return (
    <section id="steps" class="sk-card">
      <h2>Solution step by step</h2>
      <p class="sk-intro">
        The driven links come first; each later group needs only what is already known. Numbers and colours are the same throughout
        the page.
      </p>
      <div class="sk-columns sk-steps">
        <div>
          <div class="sk-stepper">
            <button type="button" disabled={index === 0} onClick={() => (current.value = index - 1)}>← Back</button>
            <span aria-live="polite">Step {index + 1} of {groups.length}</span>
            <button type="button" disabled={index === groups.length - 1} onClick={() => (current.value = index + 1)}>Next →</button>
          </div>
          <StepScene view={view} player={player} index={index} />
        </div>
        <ol class="sk-order">
          {view.groups.map((entry) => (
            <li key={entry.index} class={entry.index === index ? "sk-current" : ""} style={{ "--group": entry.colour }}>
              <button type="button" aria-current={entry.index === index ? "step" : undefined} onClick={() => (current.value = entry.index)}>
                <span class="sk-number">{entry.index + 1}</span>
                <span>{entry.words}</span>
              </button>
              {entry.index === index && (
                <div class="sk-why">
                  <p>It {step.reason}</p>
                  {words.map((text) => <p key={text}>{text}</p>)}
                  {fixedModes && !ghosts.length && (
                    <p>
                      Its {modes.length > 1 ? `${modes.length} other assembly modes are` : "other assembly mode is"} known in one pose:{" "}
                      <button type="button" class="sk-link" onClick={() => { player.playing.value = false; player.index.value = sample; }}>
                        show {modes.length > 1 ? "them" : "it"}
                      </button>
                    </p>
                  )}
                </div>
              )}
            </li>
          ))}
        </ol>
      </div>
      <PrintedSteps view={view} />
    </section>
  );
}

function LocusMark({ view, locus, player, colour }: { view: Report; locus: Locus; player: Shown; colour: string }) {
  const k = player.index.value;
  const [x, y, r, dx, dy] = [locus.x, locus.y, locus.r, locus.dx, locus.dy].map((course) => at(course, k));
  if (x == null || y == null) return null;
  if (r != null) return <circle class="sk-locus" cx={x} cy={y} r={r} stroke={colour} />;
  if (dx == null || dy == null) return null;
  const reach = 2 * Math.hypot(view.box![2] - view.box![0], view.box![3] - view.box![1]);
  return <path class="sk-locus" d={`M${x - reach * dx} ${y - reach * dy}L${x + reach * dx} ${y + reach * dy}`} stroke={colour} />;
}

/** The shapes of a group in another mode: its links are elsewhere, everything else is unchanged. */
function Ghost({ shapes, player, frames, live }: { shapes: Shape[]; player: Shown; frames: LinkFrames; live: boolean }) {
  const pose = useMemo(
    () => computed(() => ghostPose(player.pose.value, frames, live ? player.index.value : 0)),
    [frames, player],
  );
  return <Shapes shapes={shapes} pose={pose} name="sk-ghost" />;
}

/** Rings around the pins that a group is given, and around those that it finds. */
function Pins({ view, step, player, colour }: { view: Report; step: Step; player: Shown; colour: string }) {
  const stage = useContext(StageContext)!;
  const [camera, size] = [stage.camera.value, stage.size.value];
  if (!camera) return null;
  const pose = player.pose.value;
  const ring = (name: string, given: boolean) => {
    const point = view.points.find((entry) => entry.name === name);
    const place = point && spot(pose, [point.link, ...point.at]);
    if (!place) return null;
    const [x, y] = pixel(camera, size, place);
    return <circle key={name} class={given ? "sk-given" : "sk-found"} data-ring={name} cx={x} cy={y} r={given ? 9 : 10} stroke={given ? undefined : colour} />;
  };
  return (
    <g class="sk-rings">
      {step.inputs.flatMap(({ point }) => point ?? []).map((name) => ring(name, true))}
      {step.found.map((name) => ring(name, false))}
    </g>
  );
}

/** Return the shapes of a group by itself: its links and joints, with the pins to which others are attached. */
function partsOf(view: Report, index: number): Shape[] {
  const points = [...namedIn(view, index)].flatMap((name) => [`joint:${name}`, `point:${name}`]);
  const links = view.groups[index]!.links.map((name) => `link:${name}`);
  const parts = new Set([...links, ...view.steps!.groups[index]!.joints.map((id) => `joint:${id}`), ...points]);
  return view.shapes.filter(({ id, part }) => parts.has(part) && !/^(hatching:)?pivot:/.test(id));
}

export function GroupsSection({ view }: { view: Report }) {
  const { sample, groups } = view.steps!;
  const pose = useMemo(() => signal(poseAt(view.samples!, sample)), [view]);
  const parts = view.groups.map((group) => partsOf(view, group.index));
  const boxes = parts.map((shapes) => bounds(shapes, [pose.value]));
  // one scale for all groups, so that their pins have the same size
  const size = boxes.reduce<Point>(
    ([width, height], box) => (box ? [Math.max(width, box.x1 - box.x0), Math.max(height, box.y1 - box.y0)] : [width, height]),
    [12 * view.symbol, 12 * view.symbol],
  );
  return (
    <section id="groups" class="sk-card">
      <h2>The groups one by one</h2>
      <div class="sk-grid">
        {view.groups.map((group) => {
          const step = groups[group.index]!;
          const named = namedIn(view, group.index);
          const [shapes, box] = [parts[group.index]!, boxes[group.index]];
          const small = { ...view, samples: undefined, shapes, points: view.points.filter((point) => named.has(point.name)), drivers: [] };
          return (
            <figure key={group.index} class="sk-group" style={{ "--group": group.colour }}>
              <figcaption>
                <span class="sk-number">{group.index + 1}</span> {group.kind}
              </figcaption>
              {box && <Scene view={small} pose={pose} fit={atLeast(box, size)} wheel="never" label={group.label} />}
              <p>
                <b>{group.links.join(", ") || group.pins.map((pin) => `pin ${pin}`).join(", ")}</b>
                <br />
                {sources(step)}
              </p>
            </figure>
          );
        })}
      </div>
    </section>
  );
}

/** Return what the pale links are: the other modes, of which fewer may be real in one pose than in another. */
function modeWords({ live, modes = [] }: Step, ghosts: LinkFrames[], k: number): string {
  if (!ghosts.length) return "";
  const real = live ? ghosts.filter((frames) => Object.values(frames).every(({ x }) => x[k] != null)).length : ghosts.length;
  if (live && modes.length === 1) return real ? "Pale: its other assembly mode." : "";
  if (!real) return "It has no other real assembly mode in this pose.";
  return `Pale: its ${real > 1 ? `${real} other assembly modes` : "other assembly mode"} in this pose.`;
}

/** Return what the dashed lines are. */
function lociWords({ loci, found }: Step): string {
  const circles = loci.filter(({ r }) => r !== undefined).length;
  const kinds = [circles > 0 && `circle${circles > 1 ? "s" : ""}`, loci.length > circles && `line${loci.length > circles + 1 ? "s" : ""}`];
  const drawn = kinds.filter(Boolean).join(" and ");
  if (!drawn) return "";
  return found.length ? `Dashed ${drawn}: ${found.join(", ")} lies on ${loci.length > 1 ? "both" : "it"}.` : `Dashed ${drawn}: where its points can be.`;
}

/** Return what a group is attached to, in words. */
function sources(step: Step): string {
  const given = step.inputs.map(({ id, from }) => `${id} (${from === null ? "ground" : `group ${from + 1}`})`);
  const driven = step.drivers.length ? `driven by ${step.drivers.join(", ")}` : "";
  return [given.length ? `from ${given.join(", ")}` : "", driven].filter(Boolean).join("; ");
}
