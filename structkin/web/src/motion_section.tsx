// The mechanism in motion, with optional overlays.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { basesOf, Centres, Centrodes, centresOn, cutOff } from "./centres";
import { Forces, forceScales, Legend, Rates, rateScale, Traces } from "./overlays";
import type { Player } from "./player";
import { poseAt } from "./pose";
import type { Report } from "./report_types";
import { Scene } from "./scene";
import { pretty } from "./words";

export function MotionSection({ view, player }: { view: Report; player: Player | null }) {
  const shown = useMemo(
    () => ({ names: signal(true), traces: signal(true), velocity: signal(false), acceleration: signal(false),
             centres: signal(false), base: signal(view.links.find(({ ground }) => ground)?.name ?? ""), centrode: signal(""),
             forces: signal(false) }),
    [],
  );
  const pose = useMemo(() => player?.pose ?? signal(view.samples ? poseAt(view.samples, 0) : {}), [player]);
  const bases = view.centres ? basesOf(view) : [];
  const base = bases.includes(shown.base.value) ? shown.base.value : (bases[0] ?? "");
  const links = view.centres ? centresOn(view, base).map(({ link }) => link) : [];
  const moving = Object.keys(view.rates?.points ?? {}).length > 0;
  const layers: [name: keyof typeof shown, label: string, there: boolean][] = [
    ["names", "Names", true],
    ["traces", "Paths", player !== null],
    ["velocity", "Velocities", moving],
    ["acceleration", "Accelerations", moving],
    ["centres", "Instant centres", bases.length > 0],
    ["forces", "Forces", (view.forces?.arrows.length ?? 0) > 0],
  ];
  return (
    <section id="motion" class="sk-card sk-mechanism">
      <h2>{player ? "Motion" : "Drawing"}</h2>
      <div class="sk-layers" role="group" aria-label="Overlays">
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
        {bases.length > 0 && (
          <>
            <label>
              Centrodes of{" "}
              <select value={shown.centrode.value} onChange={(event) => (shown.centrode.value = event.currentTarget.value)}>
                <option value="">no link</option>
                {links.map((link) => <option key={link}>{link}</option>)}
              </select>
            </label>
            <label>
              Centres relative to{" "}
              <select value={base} onChange={(event) => ((shown.base.value = event.currentTarget.value), (shown.centrode.value = ""))}>
                {bases.map((link) => <option key={link}>{link}</option>)}
              </select>
            </label>
          </>
        )}
      </div>
      {(view.centres?.left_out ?? 0) > 0 && (
        <p class="sk-intro">Relative instant centres of {view.centres!.left_out} more pairs of links are left out: the page would be too large.</p>
      )}
      <Scene
        view={view}
        pose={pose}
        names={shown.names}
        label={`Drawing of ${view.title}`}
        under={
          view.gap ? <path class="sk-gap" d={`M${view.gap.ends.map((end) => end.join(" ")).join("L")}`} /> : player && (
            <>
              {shown.traces.value && <Traces view={view} />}
              {shown.centrode.value && <Centrodes view={view} player={player} link={shown.centrode.value} base={base} />}
            </>
          )
        }
        top={
          player && (
            <>
              {shown.velocity.value && <Rates view={view} player={player} of="v" />}
              {shown.acceleration.value && <Rates view={view} player={player} of="a" />}
              {shown.forces.value && <Forces view={view} player={player} />}
              {shown.centres.value && <Centres view={view} player={player} base={base} />}
            </>
          )
        }
      />
      <Legend
        scales={[
          ...(shown.velocity.value ? [rateScale(view, "v")] : []),
          ...(shown.acceleration.value ? [rateScale(view, "a")] : []),
          ...(shown.forces.value ? forceScales(view) : []),
        ]}
      />
      {cutOff(view, base, shown.centrode.value) && (
        <p class="sk-legend">The centrodes are drawn within the circle: beyond it they go far away, where the links hardly turn relative to each other.</p>
      )}
      {view.gap && <p class="sk-trouble">The links as near to closing as they come: {pretty(view.gap.words)}, dashed.</p>}
      {player && <Trouble view={view} player={player} />}
      <dl>
        {view.summary.facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
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
