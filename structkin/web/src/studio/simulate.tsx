// Simulate from here: all drivers let go, and masses and loads move the mechanism from the pose that is shown.
import { effect } from "@preact/signals";
import { poseAt } from "../pose";
import { pace, playing, pose, RUN, run, search, searching, send, setMode } from "./store";
import type { State } from "./types";

/** The sample that is shown. */
let index = 0;

/** Show the samples as time goes by; what ends it lets the mechanism stand where it is. */
effect(() => {
  if (playing.value !== RUN) return;
  const { t, frames } = run.peek()!;
  const samples = { n: t.length, t, frames, status: [], drivers: {} };
  let before = performance.now();
  let time = 0;
  let request = requestAnimationFrame(function go(now) {
    time += (Math.min(now - before, 100) / 1000) * pace.peek();
    before = now;
    while (index < t.length - 1 && t[index + 1]! <= time) index += 1;
    pose.value = poseAt(samples, index);
    if (index < t.length - 1) request = requestAnimationFrame(go);
    else playing.value = null;
  });
  index = 0;
  return () => {
    cancelAnimationFrame(request);
    if (run.peek()) send({ type: "settle", index });
  };
});

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
        <button type="button" class="st-word" disabled={searching.value !== ""} title="Let go of all drivers: masses and loads move the mechanism from this pose, for up to 5 s" onClick={start}>
          {searching.value === "simulate" ? "…" : "Simulate"}
        </button>
      )}
      {run.value && !runs && (
        <button type="button" class="st-word" title="Back to the pose from which it was let go" onClick={() => send({ type: "settle", index: 0 })}>Reset</button>
      )}
    </>
  );
}
