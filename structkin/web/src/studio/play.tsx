// Play: all drivers by their laws, with time, speed and what follows the end; or one driver alone.
import { useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { number } from "../words";
import { ALL, ending, onPose, pace, playing, plotting, seek, setMode, tell, time, turn, values } from "./store";
import { Simulate } from "./simulate";
import type { State } from "./types";

/** A motion that takes between so many seconds is shown in real time at first, another one in `USUAL`. */
const [SHORTEST, LONGEST, USUAL] = [0.8, 20, 4];
/** Parts of a turn that rounding may take away. */
const NEARLY = 1e-9;
const PACES = [0.1, 0.25, 0.5, 1, 2, 4, 10];

/** Return by how many seconds of the motion a second on the screen is, before a pace is chosen. */
function ratio({ clock }: State): number {
  const whole = clock ? clock[1] - clock[0] : 1;
  return whole >= SHORTEST && whole <= LONGEST ? 1 : whole / USUAL;
}

export function Player({ now }: { now: State }) {
  const { clock, frames } = now;
  const on = playing.value === ALL;
  usePlay(now, on);
  const slider = useRef<HTMLInputElement>(null);
  const words = useComputed(() => (time.value === null || !clock ? "" : `t = ${number(shownTime(time.value, clock), 3)} s`));
  const put = (t: number) => {
    if (slider.current && clock) slider.current.valueAsNumber = shownTime(t, clock);
  };
  useSignalEffect(() => {
    if (time.value !== null) put(time.value); // on the way to a time that was set, none is known
  });
  useEffect(() => put(time.peek() ?? clock?.[0] ?? 0), [clock?.[0], clock?.[1], !frames]);
  if (!frames) return null;
  if (clock === null)
    return (
      <div class="st-player">
        <button type="button" aria-label="Play" disabled>▶</button>
        <span class="st-quiet">No driver has a speed. Select one and give it a speed, such as 30 rpm; or drag.</span>
        <Simulate now={now} />
      </div>
    );
  const start = () => {
    setMode("drive");
    playing.value = on ? null : ALL;
  };
  // before the clock is known the same stands there, so that the drawing keeps its place
  const [from, to] = clock ?? [0, 1];
  return (
    <div class="st-player">
      <button type="button" class="st-play" disabled={!clock} aria-label={on ? "Pause" : "Play"} title={on ? "Pause" : "Move all drivers by their laws"} onClick={start}>
        {on ? "❚❚" : "▶"}
      </button>
      <input
        ref={slider}
        type="range"
        aria-label="Time"
        disabled={!clock}
        min={from}
        max={to}
        step={(to - from) / 1000}
        onInput={({ currentTarget }) => {
          setMode("drive");
          playing.value = null;
          seek(currentTarget.valueAsNumber);
        }}
      />
      <output class="st-time">{words}</output>
      <label>
        <span>Speed</span>
        <select value={pace.value} onChange={({ currentTarget }) => (pace.value = Number(currentTarget.value))}>
          {PACES.map((one) => <option key={one} value={one}>{number(one * ratio(now), 2)}×</option>)}
        </select>
      </label>
      <label>
        <span>At the end</span>
        <select value={ending.value} onChange={({ currentTarget }) => (ending.value = currentTarget.value as typeof ending.value)}>
          <option value="repeat">repeat</option>
          <option value="back">go back</option>
          <option value="stop">stop</option>
        </select>
      </label>
      <button type="button" class="st-word" aria-pressed={plotting.value} title="Curves of points, links and driver efforts over the motion" onClick={() => (plotting.value = !plotting.value)}>
        Plots
      </button>
      <Simulate now={now} />
    </div>
  );
}

/** Return a time within the range that is shown: motions without an end repeat it. */
export function shownTime(t: number, [from, to, endless]: [number, number, boolean]): number {
  const whole = to - from;
  if (!endless) return t;
  const part = (t - from) / whole;
  // what lies before the start by rounding is the start, not the end
  return from + whole * Math.max(0, part - Math.floor(part + NEARLY));
}

/** Ask for the next moment as poses arrive; a motion that stops turns back. */
function usePlay(now: State, on: boolean) {
  useEffect(() => {
    const { clock } = now;
    if (!on || !clock) return;
    const [from, to, endless] = clock;
    let way = 1;
    let request = 0;
    let before: number | null = null; // a frame may bear a time from before the press
    let [t, rewinds, said] = [time.peek() ?? from, false, false];
    if (t >= to && !(endless && ending.peek() === "repeat")) t = from;
    const go = (at: number) => {
      const gone = Math.min(at - (before ?? at), 100) / 1000;
      before = at;
      if (!rewinds) t += way * gone * pace.peek() * ratio(now);
      rewinds = false;
      if ((t > to || t < from) && !(endless && ending.peek() === "repeat")) {
        if (ending.peek() === "stop") playing.value = null;
        if (ending.peek() === "back") way = -way;
        rewinds = ending.peek() === "repeat";
        t = rewinds ? from : Math.min(Math.max(t, from), to);
      }
      seek(t);
    };
    const end = onPose((message) => {
      if (message.stopped) {
        way = -way;
        // where there is little room, nothing else would be seen of it
        if (!said) tell(`The motion turns back: ${message.stopped}`);
        said = true;
        if (ending.peek() === "stop") playing.value = null;
        t = message.t ?? t;
      }
      if (message.done) request = requestAnimationFrame(go);
    });
    seek(t);
    return () => (end(), cancelAnimationFrame(request));
  }, [on, now.revision]);
}

const stepOf = (unit: string) => ({ deg: 2, rad: 0.035, mrad: 35, rev: 1 / 180 })[unit] ?? 0.035;

/** Moves a driver alone, step by step as poses arrive, and reverses where it stops. */
export function PlayOne({ id, isAngle, now }: { id: string; isAngle: boolean; now: State }) {
  const on = playing.value === id;
  const step = isAngle ? stepOf(now.sketch.angle) : now.sketch.size / 150;
  useEffect(() => {
    if (!on) return;
    let way = step;
    let next = 0;
    const go = () => turn(id, (values.peek()[id] ?? 0) + way);
    const end = onPose((message) => {
      if (message.stopped) way = -way;
      if (message.done) next = requestAnimationFrame(go);
    });
    go();
    return () => (end(), cancelAnimationFrame(next));
  }, [on, id, step, now.revision]);
  const press = () => {
    setMode("drive");
    playing.value = on ? null : id;
  };
  return (
    <button type="button" aria-label={on ? `Pause ${id}` : `Play ${id}`} title={on ? "Pause" : "Move this driver alone, back and forth"} onClick={press}>
      {on ? "❚❚" : "▶"}
    </button>
  );
}
