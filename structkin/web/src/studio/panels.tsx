// The panels next to the drawing: problems, groups in solve order, drivers, the selection, and searches.
import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { fixed, number } from "../words";
import { NumberField } from "./fields";
import { JointForm } from "./forms";
import { Selection } from "./selection";
import {
  backdrop,
  edit,
  efforts,
  ghosts,
  mode,
  onPose,
  playing,
  ranges,
  ranking,
  search,
  searching,
  selected,
  send,
  state,
  stopped,
  tell,
  turn,
  values,
} from "./store";
import type { Choice, Problem, State } from "./types";

export function Panels() {
  const now = state.value!;
  return (
    <aside class="st-panels" aria-label="Structure and properties">
      <Status now={now} />
      <Selection now={now} />
      <Groups now={now} />
      <Drivers now={now} />
      <Searches now={now} />
      <Units now={now} />
      <Backdrop now={now} />
    </aside>
  );
}

function Status({ now }: { now: State }) {
  const found = now.structure;
  const empty = !Object.keys(now.sketch.links).some((link) => link !== "ground");
  return (
    <section data-panel="status">
      <h2>
        {empty ? "Nothing drawn yet" : found ? capital(found.words) : "No mechanism yet"}
        {found?.solvable && !now.problems.length && <span class="st-good">ready to drive</span>}
      </h2>
      {empty && <p class="st-quiet">Choose “Link” and drag from one end of a link to the other. End a link on another one’s point, and they share a pin. “Ground” fixes a point.</p>}
      {grouped(now.problems).map((alike, k) => (
        <div key={k} class="st-problem">
          <ProblemWords problem={alike[0]!} />
          {alike.length > 1 && (
            <details>
              <summary>{alike.length - 1} more of this kind</summary>
              {alike.slice(1).map((problem, other) => <ProblemWords key={other} problem={problem} />)}
            </details>
          )}
        </div>
      ))}
      {now.loose.length > 0 && (
        <p class="st-quiet">
          Not connected to the ground, so left out of driving, structure and pictures: {now.loose.join(", ")}
        </p>
      )}
      {now.stray.length > 0 && <p class="st-quiet">On no link yet: {now.stray.join(", ")}</p>}
      {(now.free ?? []).length > 0 && (
        <p class="st-quiet">
          Moves freely:{" "}
          {now.free!.map((name) => (
            <button key={name} type="button" class="st-chip" onClick={() => send({ type: "wiggle", coordinate: name })}>
              {name} ↔
            </button>
          ))}
        </p>
      )}
      <p class="st-stopped" role="status" aria-live="polite">
        {stopped.value && `Stops here: ${stopped.value}`}
      </p>
    </section>
  );
}

function ProblemWords({ problem }: { problem: Problem }) {
  return (
    <p>
      <b>{problem.message}</b>
      {problem.hint && <span>{problem.hint}</span>}
    </p>
  );
}

/** Group problems whose messages agree except for names and counts. */
function grouped(problems: Problem[]): Problem[][] {
  const kinds = new Map<string, Problem[]>();
  for (const problem of problems) {
    const name = problem.key.split(".").slice(1).join(".");
    const kind = `${problem.key.split(".")[0]} ${name ? problem.message.replaceAll(name, "*") : problem.message}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), problem]);
  }
  return [...kinds.values()];
}

function Groups({ now }: { now: State }) {
  const groups = now.structure?.groups ?? [];
  if (!groups.length) return null;
  return (
    <section data-panel="groups">
      <h2>Solved in this order</h2>
      <ol class="st-groups">
        {groups.map((group) => (
          <li key={group.index}>
            <button type="button" onClick={() => group.links[0] && (selected.value = { kind: "links", name: group.links[0] })}>
              <i style={{ background: group.colour }} />
              {group.index + 1}. {group.words}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

// --- drivers -------------------------------------------------------------------------------------------------

function Drivers({ now }: { now: State }) {
  const all = now.structure?.drivers ?? [];
  if (!all.length) return null;
  const unit = (kind: string) => (kind === "angle" ? (now.sketch.angle === "deg" ? "°" : ` ${now.sketch.angle}`) : ` ${now.sketch.unit}`);
  return (
    <section data-panel="drivers">
      <h2>Drivers</h2>
      {all.map(({ id, kind }) => (
        <div key={id} class="st-driver">
          <button type="button" class="st-name" onClick={() => (selected.value = { kind: "drivers", name: id })}>{id}</button>
          <output>
            <Value id={id} unit={unit(kind)} />
            {efforts.value.filter(({ driver, value }) => driver === id && value !== null).map(({ value, unit }) => (
              <small title="Effort that holds this pose at rest">{effortWords(value!, unit)}</small>
            ))}
          </output>
          <Play id={id} step={kind === "angle" ? stepOf(now.sketch.angle) : now.sketch.size / 150} revision={now.revision} />
          <button type="button" title="Delete this driver" aria-label={`Delete driver ${id}`} onClick={() => edit({ op: "delete", section: "drivers", name: id })}>×</button>
        </div>
      ))}
      {mode.value === "drive" && now.frames && (
        <button type="button" title="Edit then shows this pose, and motions start from it" onClick={() => send({ type: "adopt" })}>
          Use this pose as the sketch
        </button>
      )}
    </section>
  );
}

/** The value of a driver, written directly into the page because it changes with every pose. */
function Value({ id, unit }: { id: string; unit: string }) {
  const text = useComputed(() => (id in values.value ? fixed(values.value[id], 4) + unit : "–"));
  return <>{text}</>;
}

const effortWords = (value: number, unit: string) =>
  Math.abs(value) >= 1e3 ? `${number(value / 1e3, 3)} k${unit}` : `${number(value, 3)} ${unit}`;

const stepOf = (unit: string) => ({ deg: 2, rad: 0.035, mrad: 35, rev: 1 / 180 })[unit] ?? 0.035;

/** Moves a driver step by step as poses arrive, and reverses where it stops. */
function Play({ id, step, revision }: { id: string; step: number; revision: number }) {
  const on = playing.value === id;
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
  }, [on, id, step, revision]);
  return (
    <button type="button" aria-label={on ? `Pause ${id}` : `Play ${id}`} title={on ? "Pause" : "Play"} disabled={mode.value !== "drive"} onClick={() => (playing.value = on ? null : id)}>
      {on ? "❚❚" : "▶"}
    </button>
  );
}

// --- searches ------------------------------------------------------------------------------------------------

function Searches({ now }: { now: State }) {
  if (!now.structure) return null;
  const button = (what: "ranking" | "assemblies" | "limits", text: string, title: string) => (
    <button type="button" title={title} disabled={searching.value !== ""} onClick={() => search(what)}>
      {searching.value === what ? "…" : text}
    </button>
  );
  return (
    <section data-panel="searches">
      <h2>Find</h2>
      <div class="st-row">
        {button("limits", "Limits", "How far each driver can move, and what stops it")}
        {button("ranking", "Best input", "Which joint should drive: the simplest structure first")}
        {button("assemblies", "Assemblies", "All assemblies at these driver values")}
      </div>
      {ranges.value?.map((range) => <pre key={range.driver} class="st-report">{range.report}</pre>)}
      {ghosts.value && (
        <p class="st-quiet">
          {ghosts.value.length} {ghosts.value.length === 1 ? "assembly" : "assemblies"}{" "}
          {ghosts.value.map((ghost, k) => (
            <button key={k} type="button" class="st-chip" title={ghost.label} onClick={() => send({ type: "assembly", index: k })}>{k + 1}</button>
          ))}
          <button type="button" class="st-chip" onClick={() => (ghosts.value = null)}>hide</button>
        </p>
      )}
      {ranking.value && <Ranking choices={ranking.value} />}
      {ranking.value?.length === 0 && <p class="st-quiet">No choice of inputs was found.</p>}
      <JointForm now={now} />
    </section>
  );
}

const LENGTHS = ["mm", "cm", "dm", "m", "km", "um", "in", "ft"];
const ANGLES = ["deg", "rad", "mrad", "rev"];

/** The units of the file; its numbers are not converted. */
function Units({ now }: { now: State }) {
  const choice = (kind: "length" | "angle", value: string, names: string[]) => (
    <label class="st-field">
      <span>{kind}</span>
      <select value={value} onChange={({ currentTarget }) => edit({ op: "set_head", key: "units", value: { ...now.document.units, [kind]: currentTarget.value } })}>
        {names.map((name) => <option key={name}>{name}</option>)}
      </select>
    </label>
  );
  return (
    <section data-panel="units">
      <h2>Units of the file</h2>
      <div class="st-row">
        {choice("length", now.sketch.unit, LENGTHS)}
        {choice("angle", now.sketch.angle, ANGLES)}
      </div>
      <p class="st-quiet">Another unit keeps the numbers: 15 mm becomes 15 cm.</p>
    </section>
  );
}

function Backdrop({ now }: { now: State }) {
  const found = backdrop.value;
  const take = async (file: File | undefined) => {
    if (!file) return;
    const picture = await createImageBitmap(file).catch(() => null);
    if (!picture) return tell("This file is not a picture", true);
    const places = Object.values(now.sketch.points);
    const middle = (k: 0 | 1) => (places.length ? (Math.min(...places.map((at) => at[k])) + Math.max(...places.map((at) => at[k]))) / 2 : 0);
    const width = places.length ? 1.5 * now.sketch.size : 100;
    backdrop.value = { url: URL.createObjectURL(file), x: middle(0), y: middle(1), width, ratio: picture.width / picture.height };
  };
  const field = (label: string, key: "x" | "y" | "width") => (
    <NumberField label={label} quantity={key === "width" ? "length" : "coordinate"} value={found![key]} unit="" onSet={(value) => (backdrop.value = { ...found!, [key]: value })} />
  );
  return (
    <section data-panel="backdrop">
      <h2>Background picture</h2>
      {found ? (
        <div class="st-row">
          {field("width", "width")}
          {field("x", "x")}
          {field("y", "y")}
          <button type="button" onClick={() => (backdrop.value = null)}>Remove</button>
        </div>
      ) : (
        <input type="file" accept="image/*" aria-label="Picture" onChange={({ currentTarget }) => void take(currentTarget.files?.[0])} />
      )}
    </section>
  );
}

function Ranking({ choices }: { choices: Choice[] }) {
  const take = (choice: Choice) => {
    const [only] = choice.drivers;
    if (choice.drivers.length === 1 && only?.joint) {
      const joint = state.peek()!.structure!.joints.find((one) => one.id === only.joint);
      edit({ op: "drive", joint: only.joint, ...((joint?.links.length ?? 2) > 2 ? { links: only.links } : {}) });
    }
  };
  return (
    <table class="st-ranking">
      <thead><tr><th>input</th><th>class</th><th>largest</th><th>groups</th></tr></thead>
      <tbody>
        {choices.slice(0, 12).map((choice) => (
          <tr key={choice.label} class={choice.own ? "st-own" : ""}>
            <td><button type="button" class="st-chip" disabled={choice.own || choice.drivers.length !== 1} onClick={() => take(choice)}>{choice.label}</button></td>
            <td>{choice.class ?? "–"}</td>
            <td>{choice.largest}</td>
            <td>{choice.groups}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
