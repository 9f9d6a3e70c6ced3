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
      if (!playing.peek()) return;
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
          {speedsOf(samples).map((value) => (
            <option key={value} value={value}>{speedWords(samples, value)}</option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** Return the time and the drivers' values at a sample in words. */
function momentWords(view: View, samples: Samples, k: number): string {
  const t = samples.t?.[k];
  const time = t == null ? [] : [`t = ${number(t, 4)} ${view.units.time ?? "s"}`];
  return [...time, ...driverWords(view, samples, k)].join("   ");
}

/** Return how fast the motion is played at speed 1, as a multiple of real time; null if it has no times. */
function pace(samples: Samples): number | null {
  const first = samples.t?.[0];
  const last = samples.t?.[samples.n - 1];
  return first == null || last == null || last <= first ? null : (last - first) / WHOLE;
}

/** Return the speeds to choose from, real time among them unless it is much faster or slower. */
function speedsOf(samples: Samples): number[] {
  const real = 1 / (pace(samples) ?? 1);
  const others = SPEEDS.filter((value) => Math.abs(value / real - 1) > 0.05);
  return real < 0.1 || real > 10 ? SPEEDS : [...others, real].sort((a, b) => a - b);
}

/** Return a speed compared with real time, or with the usual one if the motion has no times. */
function speedWords(samples: Samples, speed: number): string {
  const usual = pace(samples);
  if (usual === null) return `${number(speed, 2)} ×`;
  const ratio = usual * speed;
  return Math.abs(ratio - 1) < 1e-9 ? "real time" : `${number(ratio, 2)} times real time`;
}
