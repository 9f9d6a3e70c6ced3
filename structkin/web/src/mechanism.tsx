// A mechanism that moves: its drawing with the paths of points, and the bar that plays it.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Traces } from "./overlays";
import { PlayerBar, playerOf } from "./player";
import { poseAt } from "./pose";
import { Scene } from "./scene";
import type { View } from "./types";

export function Mechanism({ view }: { view: View }) {
  const player = useMemo(() => (view.samples && view.samples.n > 1 ? playerOf(view.samples) : null), [view]);
  const pose = player?.pose ?? signal(view.samples ? poseAt(view.samples, 0) : {});
  return (
    <div class="sk sk-mechanism">
      <Scene view={view} pose={pose} label={`Drawing of ${view.title}`} under={player && <Traces view={view} />} />
      {player && <PlayerBar player={player} view={view} />}
    </div>
  );
}
