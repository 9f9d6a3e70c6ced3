// The mechanism in motion, with what may be drawn over it.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Centres, Centrodes, Rates, Reactions, Traces } from "./overlays";
import type { Player } from "./player";
import { poseAt } from "./pose";
import type { Report } from "./report_types";
import { Scene } from "./scene";

export function MotionSection({ view, player }: { view: Report; player: Player | null }) {
  const shown = useMemo(
    () => ({ names: signal(true), traces: signal(true), velocity: signal(false), acceleration: signal(false),
             centres: signal(false), centrode: signal(""), forces: signal(false) }),
    [],
  );
  const pose = useMemo(() => player?.pose ?? signal(view.samples ? poseAt(view.samples, 0) : {}), [player]);
  const links = Object.keys(view.centres ?? {});
  const layers: [name: keyof typeof shown, label: string, there: boolean][] = [
    ["names", "Names", true],
    ["traces", "Paths", player !== null],
    ["velocity", "Velocities", view.rates !== undefined],
    ["acceleration", "Accelerations", view.rates !== undefined],
    ["centres", "Instant centres", links.length > 0],
    ["forces", "Joint forces", (view.forces?.arrows.length ?? 0) > 0],
  ];
  return (
    <section id="motion" class="sk-card sk-mechanism">
      <h2>{player ? "Motion" : "Drawing"}</h2>
      <div class="sk-layers" role="group" aria-label="What is drawn">
        {layers.filter(([, , there]) => there).map(([name, label]) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={shown[name].value as boolean}
              onChange={(event) => ((shown[name].value as boolean) = event.currentTarget.checked)}
            />
            {label}
          </label>
        ))}
        {links.length > 0 && (
          <label>
            Centrodes of{" "}
            <select value={shown.centrode.value} onChange={(event) => (shown.centrode.value = event.currentTarget.value)}>
              <option value="">no link</option>
              {links.map((link) => <option key={link}>{link}</option>)}
            </select>
          </label>
        )}
      </div>
      <Scene
        view={view}
        pose={pose}
        names={shown.names}
        label={`Drawing of ${view.title}`}
        under={
          player && (
            <>
              {shown.traces.value && <Traces view={view} />}
              {shown.centrode.value && <Centrodes view={view} player={player} link={shown.centrode.value} />}
            </>
          )
        }
        top={
          player && (
            <>
              {shown.velocity.value && <Rates view={view} player={player} of="v" />}
              {shown.acceleration.value && <Rates view={view} player={player} of="a" />}
              {shown.forces.value && <Reactions view={view} player={player} />}
              {shown.centres.value && <Centres view={view} player={player} />}
            </>
          )
        }
      />
      {player && <Trouble view={view} player={player} />}
    </section>
  );
}

/** Why the sample shown is not ok. */
function Trouble({ view, player }: { view: Report; player: Player }) {
  const k = player.index.value;
  const run = view.samples!.status.find(([first, last]) => first <= k && k <= last);
  if (!run || run[2] === "ok") return null;
  const group = run[3] === null ? undefined : view.groups[run[3]];
  return (
    <p class="sk-trouble" role="status">
      At this sample: {run[2]}{group ? `, in ${group.label}` : ""}.
    </p>
  );
}
