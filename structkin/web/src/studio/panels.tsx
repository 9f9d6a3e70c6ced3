// The panels next to the drawing: problems, groups in solve order, drivers, the selection, and searches.
import { useComputed, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { fixed, inThousands } from "../words";
import { turned } from "./draft";
import { NumberField, read } from "./fields";
import { NewEntry } from "./forms";
import { LayersPanel } from "./layers";
import { LoadsPanel } from "./loads_panel";
import { PlayOne } from "./play";
import { Selection } from "./selection";
import {
  backdrop,
  dark,
  edit,
  efforts,
  extent,
  ghosts,
  mode,
  playing,
  ranges,
  ranking,
  refusals,
  RUN,
  search,
  searching,
  selected,
  send,
  setMode,
  showBehind,
  state,
  stopped,
  tell,
  turn,
  values,
} from "./store";
import { Wish } from "./wish";
import type { Choice, Problem, Range, State } from "./types";

export function Panels() {
  const now = state.value!;
  return (
    <aside class="st-panels" aria-label="Structure and properties">
      <Status now={now} />
      <Selection now={now} />
      <Drivers now={now} />
      <LayersPanel now={now} />
      <Groups now={now} />
      <Searches now={now} />
      <Wish now={now} />
      <NewEntry now={now} section="joints" />
      <LoadsPanel now={now} />
      <Units now={now} />
      <Backdrop />
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
      {coincident(now).map(([keep, drop]) => (
        <p key={drop} class="st-quiet">
          {keep} and {drop} lie on each other and are not joined{" "}
          <button type="button" class="st-chip" onClick={() => edit({ op: "merge_points", keep, drop })}>Join them</button>
        </p>
      ))}
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

/** Points nearer to each other than this part of the size lie on each other. */
const TOGETHER = 1e-6;
/** Return pairs of points that lie on each other, but on no link together. */
function coincident({ sketch }: State): [string, string][] {
  const links = Object.values(sketch.links);
  const first = new Map<string, string>();
  return Object.entries(sketch.points).flatMap(([name, at]): [string, string][] => {
    const place = at.map((part) => Math.round(part / (TOGETHER * sketch.size))).join();
    const other = first.get(place);
    if (!other) first.set(place, name);
    return !other || links.some((members) => members.includes(name) && members.includes(other)) ? [] : [[other, name]];
  });
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
              <i style={{ background: dark.value ? turned(group.colour) : group.colour }} />
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
            <Value id={id} unit={unit(kind)} turn={kind === "angle" ? turnIn(now.sketch.angle) : Infinity} />
            {playing.value !== RUN && efforts.value.filter(({ driver, value }) => driver === id && value !== null).map(({ value, unit }) => (
              <small title="Effort that holds this pose at rest">{inThousands(value!, unit)}</small>
            ))}
          </output>
          <PlayOne id={id} isAngle={kind === "angle"} now={now} />
          <button type="button" title="Delete this driver" aria-label={`Delete driver ${id}`} onClick={() => edit({ op: "delete", section: "drivers", name: id })}>×</button>
          {now.frames && <Setting id={id} isAngle={kind === "angle"} now={now} />}
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
function Value({ id, unit, turn }: { id: string; unit: string; turn: number }) {
  const text = useComputed(() => (id in values.value ? valueWords(values.value[id]!, unit, turn) : "–"));
  return <>{text}</>;
}

/** Return a value in words; of an angle beyond a `turn`, what is left of it, and the whole turns. */
function valueWords(value: number, unit: string, turn: number): string {
  const turns = Math.abs(value) > turn ? Math.trunc(value / turn) : 0;
  const rest = fixed(turns ? value - turns * turn : value, 4) + unit;
  return turns ? `${rest} ${turns < 0 ? "−" : "+"} ${Math.abs(turns)} turn${Math.abs(turns) > 1 ? "s" : ""}` : rest;
}

/** Return a whole turn in a unit of angle. */
const turnIn = (unit: string) => ({ deg: 360, rad: 2 * Math.PI, mrad: 2e3 * Math.PI, rev: 1 })[unit] ?? 2 * Math.PI;

/** The slider of a driver, and its value as it is typed. */
function Setting({ id, isAngle, now }: { id: string; isAngle: boolean; now: State }) {
  const slider = useRef<HTMLInputElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const found = ranges.value?.find((range) => range.driver === id);
  useSignalEffect(() => {
    void refusals.value; // the field shows the old value again
    const value = values.value[id];
    if (value === undefined || !slider.current || !field.current) return;
    const [from, to] = rangeOf(value, found, isAngle, now, id);
    [slider.current.min, slider.current.max, slider.current.step] = [from, to, (to - from) / 1000].map(String) as [string, string, string];
    slider.current.valueAsNumber = value;
    if (document.activeElement !== field.current) field.current.value = String(Number(value.toPrecision(6)));
  });
  const go = (value: number) => {
    setMode("drive");
    playing.value = null;
    turn(id, value);
  };
  const type = (input: HTMLInputElement) => {
    const [before, unit] = [values.peek()[id], isAngle ? now.sketch.angle : now.sketch.unit];
    const value = read(input.value, isAngle ? "angle" : "coordinate", unit);
    if (value === null) tell(`${id}: a value must be a number`, true);
    if (value === null) input.value = String(Number(before?.toPrecision(6)));
    else if (before === undefined || input.value !== String(Number(before.toPrecision(6)))) go(value);
  };
  return (
    <span class="st-setting">
      <input ref={slider} type="range" aria-label={`${id}, slider`} onInput={({ currentTarget }) => go(currentTarget.valueAsNumber)} />
      <input ref={field} inputMode="decimal" aria-label={`${id}, value`} onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()} onBlur={({ currentTarget }) => type(currentTarget)} />
    </span>
  );
}

/** Return the range of a driver's slider: its limits once they were found, else the turn it is in, or half a size around the sketch. */
function rangeOf(value: number, found: Range | undefined, isAngle: boolean, now: State, id: string): [number, number] {
  if (found && !found.turns && found.lower && found.upper) return [found.lower.value, found.upper.value];
  const turn = turnIn(now.sketch.angle);
  if (isAngle) return [Math.floor(value / turn) * turn, Math.floor(value / turn) * turn + turn];
  const middle = now.drivers?.[id] ?? value;
  return [Math.min(middle - now.sketch.size / 2, value), Math.max(middle + now.sketch.size / 2, value)];
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
          {extent.value.assemblies}{" "}
          {ghosts.value.map((ghost, k) => (
            <button key={k} type="button" class="st-chip" title={ghost.label} onClick={() => send({ type: "assembly", index: k })}>{k + 1}</button>
          ))}
          <button type="button" class="st-chip" onClick={() => (ghosts.value = null)}>hide</button>
        </p>
      )}
      {ranking.value && <Ranking choices={ranking.value} />}
      {ranking.value && extent.value.ranking && <p class="st-quiet">{extent.value.ranking}</p>}
      {ranking.value?.length === 0 && <p class="st-quiet">No choice of inputs was found.</p>}
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

function Backdrop() {
  const found = backdrop.value;
  const input = useRef<HTMLInputElement>(null);
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
        <div class="st-row">
          <button type="button" onClick={() => input.current!.click()}>Choose a picture …</button>
          <input ref={input} type="file" accept="image/*" hidden onChange={({ currentTarget }) => currentTarget.files?.[0] && void showBehind(currentTarget.files[0])} />
        </div>
      )}
    </section>
  );
}

/** The mechanism's own input is listed besides. */
const MOST_CHOICES = 12;

function Ranking({ choices }: { choices: Choice[] }) {
  const take = (choice: Choice) => {
    const [only] = choice.drivers;
    if (choice.drivers.length === 1 && only?.joint) {
      const joint = state.peek()!.structure!.joints.find((one) => one.id === only.joint);
      edit({ op: "drive", joint: only.joint, ...((joint?.links.length ?? 2) > 2 ? { links: only.links } : {}) });
    }
  };
  const shown = choices.filter((choice, k) => k < MOST_CHOICES || choice.own);
  return (
    <table class="st-ranking">
      <thead><tr><th>input</th><th>class</th><th>largest</th><th>groups</th></tr></thead>
      <tbody>
        {shown.map((choice) => (
          <tr key={choice.label} class={choice.own ? "st-own" : ""}>
            <td><button type="button" class="st-chip" disabled={choice.own || choice.drivers.length !== 1} onClick={() => take(choice)}>{choice.label}</button></td>
            <td>{choice.class ?? "–"}</td>
            <td>{choice.largest}</td>
            <td>{choice.groups}</td>
          </tr>
        ))}
        {shown.length < choices.length && <tr><td colSpan={4}>… and {choices.length - shown.length} more</td></tr>}
      </tbody>
    </table>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
