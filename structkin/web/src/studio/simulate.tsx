// Simulate from here: all drivers let go, masses and loads move the mechanism, and the pointer pulls at its links.
import { effect } from "@preact/signals";
import { matrix, moved, poseAt } from "../pose";
import { pathOf } from "../shapes";
import { following, pace, playing, pose, pull, RUN, run, search, searching, send, setMode, tell, values, way } from "./store";
import type { Run, State } from "./types";

/** The sample that is shown. */
let index = 0;

const samplesOf = ({ t, frames, drivers }: Run) => ({ n: t.length, t, frames, drivers, status: [] });

/** Show the samples of part after part as time goes by; what ends it lets the mechanism stand where it is. */
effect(() => {
  if (playing.value !== RUN) return;
  let now = run.peek()!;
  let samples = samplesOf(now);
  let time = now.t[0]!;
  let before = performance.now();
  /** Ask for the part after the one that is shown. */
  const ask = () => now.stopped || send({ type: "go_on", pull: pull.peek() });
  const go = (at: number) => {
    time += (Math.min(at - before, 100) / 1000) * pace.peek();
    before = at;
    for (;;) {
      while (index < now.t.length - 1 && now.t[index + 1]! <= time) index += 1;
      const next = following.peek();
      if (index < now.t.length - 1 || !next) break;
      [now, index, following.value, run.value] = [next, 0, null, next];
      samples = samplesOf(now);
      ask();
    }
    time = Math.min(time, now.t.at(-1)!); // the next part may take longer than this one
    way.value = [];
    pose.value = poseAt(samples, index);
    values.value = Object.fromEntries(Object.entries(samples.drivers).map(([id, all]) => [id, all[index]!]));
    if (now.stopped && index === now.t.length - 1) {
      tell(`Stopped: ${now.stopped}`, true);
      playing.value = null;
    } else request = requestAnimationFrame(go);
  };
  index = 0;
  ask();
  let request = requestAnimationFrame(go);
  return () => {
    cancelAnimationFrame(request);
    pull.value = null;
    if (run.peek()) send({ type: "settle", part: now.part, index });
  };
});

/** The spring by which the pointer pulls. */
export function Pulled() {
  const held = pull.value;
  const place = held && matrix(pose.value, { link: held.link });
  return place && <path d={pathOf([moved(place, held.local), held.to], false)} class="st-rubber" />;
}

export function Simulate({ now }: { now: State }) {
  const heavy = now.loads.some(({ kind }) => kind === "mass");
  if (!heavy || !now.frames) return null;
  const runs = playing.value === RUN;
  const start = () => {
    setMode("drive");
    playing.value = null;
    search("simulate");
  };
  return (
    <>
      {runs ? (
        <button type="button" class="st-word" onClick={() => (playing.value = null)}>Stop</button>
      ) : (
        <button type="button" class="st-word" disabled={searching.value !== ""} title="Let go of all drivers: masses and loads move the mechanism from this pose; pull at a link meanwhile" onClick={start}>
          {searching.value === "simulate" ? "…" : "Simulate"}
        </button>
      )}
      {run.value && !runs && (
        <button type="button" class="st-word" title="Back to the pose from which it was let go" onClick={() => send({ type: "settle" })}>Reset</button>
      )}
    </>
  );
}
