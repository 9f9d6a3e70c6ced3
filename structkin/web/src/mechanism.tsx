// A mechanism that moves: its drawing, and the bar that plays it.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { PlayerBar, playerOf } from "./player";
import { Scene } from "./scene";
import type { View } from "./types";

export function Mechanism({ view }: { view: View }) {
  const player = useMemo(() => (view.samples ? playerOf(view.samples) : null), [view]);
  const pose = player?.pose ?? signal({});
  return (
    <div class="sk sk-mechanism">
      <Scene view={view} pose={pose} label={`Drawing of ${view.title}`} />
      {player && <PlayerBar player={player} view={view} />}
    </div>
  );
}
