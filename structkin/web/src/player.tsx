// Play, slider and speed: which sample of a motion is shown.
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { poseAt, type Pose } from "./pose";
import type { Samples, View } from "./types";
import { driverWords, number } from "./words";

/** Seconds that a whole motion takes on the screen at speed 1. */
const WHOLE = 5;
const SPEEDS = [0.25, 0.5, 1, 2, 4];

export interface Player {
  samples: Samples;
  /** The sample shown. */
  index: Signal<number>;
  playing: Signal<boolean>;
  speed: Signal<number>;
  pose: ReadonlySignal<Pose>;
}

/** Return a player of samples, at the first one and at rest. */
export function playerOf(samples: Samples): Player {
  const index = signal(0);
  return {
    samples,
    index,
    playing: signal(false),
    speed: signal(1),
    pose: computed(() => poseAt(samples, index.value)),
  };
}

/** Return whether the last pose is the first one again: such a motion is looped, another one is played back and forth. */
export function isCyclic({ frames, n }: Samples): boolean {
  let size = 0;
  let gap = 0;
  for (const { x, y, angle } of Object.values(frames)) {
    const xs = x.filter((value) => value !== null);
    const ys = y.filter((value) => value !== null);
    size = Math.max(size, Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
    const turn = (angle[n - 1] ?? NaN) - (angle[0] ?? NaN);
    gap = Math.max(gap, Math.hypot((x[n - 1] ?? NaN) - (x[0] ?? NaN), (y[n - 1] ?? NaN) - (y[0] ?? NaN)));
    gap = Math.max(gap, Math.abs(Math.sin(turn / 2)) * size);
  }
  return gap <= 1e-3 * size;
}

/** Run the clock of a player while it plays. */
function useClock({ samples, index, playing, speed }: Player) {
  const run = playing.value;
  useEffect(() => {
    if (!run) return;
    const cyclic = isCyclic(samples);
    const last = samples.n - 1;
    let place = index.peek();
    let way = 1;
    let before: number | null = null;
    let request = requestAnimationFrame(function tick(now) {
      // somebody moved the slider, or a plot: play on from there
      if (Math.round(place) !== index.peek()) place = index.peek();
      place += ((way * ((now - (before ?? now)) / 1000)) / WHOLE) * last * speed.peek();
      before = now;
      if (cyclic) place = ((place % last) + last) % last;
      else if (place > last || place < 0) [place, way] = [Math.min(Math.max(place, 0), last), -way];
      index.value = Math.round(place);
      request = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(request);
  }, [run, samples]);
}

export function PlayerBar({ player, view }: { player: Player; view: View }) {
  useClock(player);
  const { samples, index, playing, speed } = player;
  const words = momentWords(view, samples, index.value);
  const start = () => {
    if (!playing.value && index.value === samples.n - 1) index.value = 0;
    playing.value = !playing.value;
  };
  return (
    <div class="sk-player">
      <button type="button" class="sk-play" onClick={start} aria-label={playing.value ? "Pause" : "Play"}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={playing.value ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5v11l9-5.5z"} />
        </svg>
      </button>
      <input
        type="range"
        min={0}
        max={samples.n - 1}
        value={index.value}
        aria-label="Sample of the motion"
        aria-valuetext={words}
        onInput={(event) => {
          playing.value = false;
          index.value = event.currentTarget.valueAsNumber;
        }}
      />
      <output class="sk-moment">{words}</output>
      <label class="sk-speed">
        <span>Speed</span>
        <select value={speed.value} onChange={(event) => (speed.value = Number(event.currentTarget.value))}>
          {SPEEDS.map((value) => (
            <option key={value} value={value}>{value} ×</option>
          ))}
        </select>
      </label>
      <span class="sk-pace">{paceWords(samples, speed.value)}</span>
    </div>
  );
}

/** Return the time and the drivers' values at a sample in words. */
function momentWords(view: View, samples: Samples, k: number): string {
  const t = samples.t?.[k];
  const time = t == null ? [] : [`t = ${number(t, 4)} ${view.units.time ?? "s"}`];
  return [...time, ...driverWords(view, samples, k)].join("   ");
}

/** Return how the pace on the screen compares with the motion's own. */
function paceWords(samples: Samples, speed: number): string {
  const first = samples.t?.[0];
  const last = samples.t?.[samples.n - 1];
  if (first == null || last == null || last <= first) return "";
  const ratio = WHOLE / (last - first) / speed;
  if (ratio > 1.05) return `slow motion 1 : ${number(ratio, 2)}`;
  return ratio < 0.95 ? `time lapse ${number(1 / ratio, 2)} : 1` : "real time";
}
