// Plots beside the drawing: a point, a link or the driver efforts over the motion, with a line at the pose that is shown.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { colourOf } from "../overlays";
import { type Curve, Plot, type Shown } from "../plot";
import { Choice, PALETTE, vector } from "../plots_section";
import { placesOf } from "../report_types";
import { shownTime } from "./play";
import { courses, mode, playing, plotting, scene, seek, selected, send, setMode, time, turn, values } from "./store";
import type { Courses, State } from "./types";

const EFFORTS = "Forces and energy";

export function Plots({ now }: { now: State }) {
  const known = courses.value?.revision === now.revision ? courses.value : null;
  const drives = !now.free?.length && !!now.frames;
  useEffect(() => {
    if (drives && !known) send({ type: "courses" });
  }, [now.revision, drives]);
  return (
    <section class="st-plots" aria-label="Plots">
      <button type="button" class="st-chip" aria-label="Close the plots" onClick={() => (plotting.value = false)}>×</button>
      {known?.found ? <Curves now={now} found={known.found} /> : (
        <p class="st-quiet">{known?.failure || (drives ? "Working …" : "A motion is plotted where drivers determine it.")}</p>
      )}
    </section>
  );
}

function Curves({ now, found }: { now: State; found: Courses }) {
  const { plots } = found;
  const player = useMemo(() => shownIn(now, found), [now, found]);
  const names = [...plots.points.map((name) => `Point ${name}`), ...plots.links.map((name) => `Link ${name}`), ...(found.efforts.length ? [EFFORTS] : [])];
  const { kind, name } = selected.value ?? {};
  const own = kind === "drivers" ? EFFORTS : `${kind === "links" ? "Link" : "Point"} ${name}`;
  // what was plotted last stays while something else is selected
  const last = useRef("");
  const subject = [own, last.current].find((one) => names.includes(one)) ?? names[0] ?? "";
  last.current = subject;
  const curves = useMemo(() => curvesOf(found, subject), [found, subject]);
  const choose = (to: string) => {
    last.current = to;
    const [, word, name] = to.match(/^(Point|Link) (.*)$/) ?? [];
    selected.value = word ? { kind: word === "Link" ? "links" : "points", name: name! } : found.efforts.length ? driverOf(now) : null;
  };
  return (
    <>
      <Choice label="Plot" names={names} value={subject} choose={choose} />
      {subject === EFFORTS && found.notes.map((note) => <p key={note} class="st-quiet">{note}</p>)}
      <div class="st-curves">
        {curves.map((one) => <Plot key={`${subject} ${one.title}`} {...one} x={plots.x} player={player} height={130} />)}
      </div>
    </>
  );
}

const driverOf = (now: State) => {
  const [first] = now.structure?.drivers ?? [];
  return first ? { kind: "drivers" as const, name: first.id } : null;
};

function curvesOf({ plots, rates, efforts, samples }: Courses, subject: string): { title: string; unit: string; curves: Curve[] }[] {
  const { units } = plots;
  const [, word, name] = subject.match(/^(Point|Link) (.*)$/) ?? [];
  const view = scene.peek();
  if (word === "Point") {
    const colour = view?.points.find((point) => point.name === name)?.colour ?? "#555555";
    const [x, y] = placesOf({ plots, samples }, name!);
    const own = rates?.points[name!];
    return [
      { title: "position", unit: units.length, curves: vector(x, y, colour, false) },
      ...(own ? [
        { title: "velocity", unit: units.speed, curves: vector(own.vx, own.vy, colour, true) },
        { title: "acceleration", unit: units.acceleration, curves: vector(own.ax, own.ay, colour, true) },
      ] : []),
    ];
  }
  if (word === "Link") {
    const colour = view ? colourOf(view, name!) : "#555555";
    const own = rates?.links[name!];
    const one = (title: string, unit: string, values: Curve["values"]) => ({ title, unit, curves: [{ name: name!, values, colour }] });
    return [
      one("angle", units.angle, plots.angles[name!]!),
      ...(own ? [one("angular velocity", units.omega, own.omega), one("angular acceleration", units.alpha, own.alpha)] : []),
    ];
  }
  return efforts.map((panel) => ({ ...panel, curves: panel.curves.map((curve, k) => ({ ...curve, colour: PALETTE[k % PALETTE.length]! })) }));
}

/** Return the pose that is shown as a sample of the plots: by its time, or by the value of the only driver. */
function shownIn({ clock }: State, { samples }: Courses): Shown {
  const [driver, ...others] = Object.keys(samples.drivers);
  const at = (): [number, (number | null)[]] | null => {
    if (samples.t && clock) return time.value === null ? null : [shownTime(time.value, clock), samples.t];
    return driver && !others.length && driver in values.value ? [values.value[driver]!, samples.drivers[driver]!] : null;
  };
  return {
    samples,
    playing: {
      get value() {
        return playing.value !== null;
      },
      set value(_) {
        playing.value = null;
      },
    },
    index: {
      get value() {
        const [value, all] = at() ?? [];
        if (value === undefined) return -1;
        let best = -1;
        let least = Infinity;
        all!.forEach((one, k) => {
          if (one !== null && Math.abs(one - value) < least) [best, least] = [k, Math.abs(one - value)];
        });
        return best;
      },
      set value(k) {
        if (mode.peek() === "edit") setMode("drive");
        if (samples.t && clock) seek(samples.t[k]!);
        else if (driver) turn(driver, samples.drivers[driver]![k]!);
      },
    },
  };
}
