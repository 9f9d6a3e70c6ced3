// The panels beside the drawing: what is wrong, groups in solve order, drivers, what is selected, and the searches.
import { useComputed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { fixed, number } from "../words";
import { driveAt } from "./canvas";
import { EntryForm, JointForm } from "./forms";
import {
  backdrop,
  edit,
  efforts,
  ghosts,
  mode,
  onPose,
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
import type { Choice, State } from "./types";

export function Panels() {
  const now = state.value!;
  return (
    <aside class="st-panels" aria-label="What structkin says">
      <Status now={now} />
      <Selection now={now} />
      <Groups now={now} />
      <Drivers now={now} />
      <Searches now={now} />
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
        {found?.solvable && <span class="st-good">ready to drive</span>}
      </h2>
      {empty && <p class="st-quiet">Choose “Link” and drag from one end of a link to the other. End a link on another one’s point, and they share a pin. “Ground” fixes a point.</p>}
      {now.problems.map((problem, k) => (
        <p key={k} class="st-problem">
          <b>{problem.message}</b>
          {problem.hint && <span>{problem.hint}</span>}
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
              <small title="What holds this pose at rest">{effortWords(value!, unit)}</small>
            ))}
          </output>
          <Play id={id} step={kind === "angle" ? stepOf(now.sketch.angle) : now.sketch.size / 150} />
          <button type="button" title="Delete this driver" aria-label={`Delete driver ${id}`} onClick={() => edit({ op: "delete", section: "drivers", name: id })}>×</button>
        </div>
      ))}
    </section>
  );
}

/** The value of a driver, written straight into the document: it changes with every pose. */
function Value({ id, unit }: { id: string; unit: string }) {
  const text = useComputed(() => (id in values.value ? fixed(values.value[id]) + unit : "–"));
  return <>{text}</>;
}

const effortWords = (value: number, unit: string) =>
  Math.abs(value) >= 1e3 ? `${number(value / 1e3, 3)} k${unit}` : `${number(value, 3)} ${unit}`;

const stepOf = (unit: string) => ({ deg: 2, rad: 0.035, mrad: 35, rev: 1 / 180 })[unit] ?? 0.035;

/** Moves a driver on, step by step as the poses come back, and turns round where it stops. */
function Play({ id, step }: { id: string; step: number }) {
  const [on, setOn] = useState(false);
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
  }, [on, id, step]);
  useEffect(() => setOn(false), [mode.value, state.value?.revision]);
  return (
    <button type="button" aria-label={on ? `Pause ${id}` : `Play ${id}`} title={on ? "Pause" : "Play"} disabled={mode.value !== "drive"} onClick={() => setOn(!on)}>
      {on ? "❚❚" : "▶"}
    </button>
  );
}

// --- what is selected ----------------------------------------------------------------------------------------

function Selection({ now }: { now: State }) {
  const chosen = selected.value;
  if (!chosen) return null;
  const { kind, name } = chosen;
  const joint = now.structure?.joints.find((one) => one.id === name);
  const entry = kind === "joints" || kind === "drivers" ? now.document[kind]?.[name] : undefined;
  const own = now.structure?.drivers.some((driver) => driver.joint === name);
  return (
    <section data-panel="selection" key={`${kind} ${name}`}>
      <h2>{{ points: "Point", links: "Link", joints: "Joint", drivers: "Driver" }[kind]} <em>{name}</em></h2>
      {name !== "ground" && (
        <Field label="Name" value={name} onSet={(to) => {
          edit({ op: "rename", section: kind, name, to });
          selected.value = { kind, name: to };
        }} />
      )}
      {kind === "points" && <PointFields now={now} name={name} />}
      {kind === "links" && <LinkFields now={now} name={name} />}
      {entry && <EntryForm section={kind as "joints" | "drivers"} name={name} entry={entry} />}
      <div class="st-row">
        {(kind === "points" || kind === "joints") && joint && joint.kind.match(/^[RP]$/) && (
          <button type="button" disabled={own} onClick={() => driveAt(now, name)}>{own ? "Drives" : "Drive here"}</button>
        )}
        <button type="button" class="st-danger" onClick={() => edit({ op: "delete", section: kind, name })}>Delete</button>
      </div>
    </section>
  );
}

function PointFields({ now, name }: { now: State; name: string }) {
  const [x, y] = now.sketch.points[name] ?? [0, 0];
  const links = Object.entries(now.sketch.links).filter(([, members]) => members.includes(name)).map(([link]) => link);
  const others = Object.keys(now.sketch.links).filter((link) => !links.includes(link));
  const move = (at: [number, number]) => edit({ op: "move_point", point: name, at, typed: true });
  return (
    <>
      <div class="st-row">
        <NumberField label="x" value={x} unit={now.sketch.unit} onSet={(value) => move([value, y])} />
        <NumberField label="y" value={y} unit={now.sketch.unit} onSet={(value) => move([x, value])} />
      </div>
      <p class="st-quiet">
        On{" "}
        {links.map((link) => (
          <button key={link} type="button" class="st-chip" title="Take the point off this link" onClick={() => edit({ op: "detach", point: name, link })}>{link} ×</button>
        ))}
        {!links.length && "no link"}
      </p>
      <label class="st-field">
        <span>Add to</span>
        <select value="" onChange={({ currentTarget }) => currentTarget.value && edit({ op: "attach", point: name, link: currentTarget.value })}>
          <option value="">a link …</option>
          {[...new Set([...others, ...(links.includes("ground") ? [] : ["ground"])])].map((link) => <option key={link}>{link}</option>)}
        </select>
      </label>
    </>
  );
}

function LinkFields({ now, name }: { now: State; name: string }) {
  const members = now.sketch.links[name] ?? [];
  const pairs = members.length > 6 ? [] : members.flatMap((a, k) => members.slice(k + 1).map((b): [string, string] => [a, b]));
  const [a, b] = members;
  const place = (point: string) => now.sketch.points[point] ?? [0, 0];
  const turnOf = (from: string, to: string) => Math.atan2(place(to)[1] - place(from)[1], place(to)[0] - place(from)[0]);
  const reach = { deg: 180 / Math.PI, rad: 1, mrad: 1e3, rev: 0.5 / Math.PI }[now.sketch.angle] ?? 1;
  return (
    <>
      {pairs.map(([first, second]) => {
        const given = Object.keys(now.document.lengths ?? {}).some((key) => key === `${first}-${second}` || key === `${second}-${first}`);
        const length = Math.hypot(place(first)[0] - place(second)[0], place(first)[1] - place(second)[1]);
        const set = (value: number | null) => edit({ op: "set_length", first, second, length: value });
        return (
          <div class="st-row" key={`${first}-${second}`}>
            <NumberField label={`${first}–${second}`} value={length} unit={now.sketch.unit} onSet={set} />
            <button type="button" aria-pressed={given} title={given ? "The length is locked; click to free it" : "Lock this length"} onClick={() => set(given ? null : Number(length.toPrecision(6)))}>
              {given ? "locked" : "lock"}
            </button>
          </div>
        );
      })}
      {name !== "ground" && a && b && (
        <NumberField label="angle" value={reach * turnOf(a, b)} unit={now.sketch.angle} onSet={(angle) => edit({ op: "set_angle", first: a, second: b, angle })} />
      )}
    </>
  );
}

export function Field({ label, value, onSet }: { label: string; value: string; onSet: (value: string) => void }) {
  return (
    <label class="st-field">
      <span>{label}</span>
      <input
        key={value}
        defaultValue={value}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        onBlur={({ currentTarget }) => currentTarget.value !== value && onSet(currentTarget.value)}
      />
    </label>
  );
}

function NumberField({ label, value, unit, onSet }: { label: string; value: number; unit: string; onSet: (value: number) => void }) {
  const text = String(Number(value.toPrecision(6)));
  const take = (given: string) => {
    const found = Number(given.replace("−", "-").replace(",", "."));
    if (given.trim() && Number.isFinite(found) && given !== text) onSet(found);
  };
  return (
    <label class="st-field">
      <span>{label}</span>
      <input
        key={text}
        inputMode="decimal"
        defaultValue={text}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        onBlur={({ currentTarget }) => take(currentTarget.value)}
      />
      <span class="st-unit">{unit}</span>
    </label>
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
        {button("limits", "Limits", "How far each driver goes, and what stops it")}
        {button("ranking", "Best input", "Which joint should drive: the simplest structure first")}
        {button("assemblies", "Assemblies", "All ways to put it together at these driver values")}
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

function Backdrop({ now }: { now: State }) {
  const found = backdrop.value;
  const take = async (file: File | undefined) => {
    if (!file) return;
    const picture = await createImageBitmap(file).catch(() => null);
    if (!picture) return tell("This file is no picture", true);
    const places = Object.values(now.sketch.points);
    const middle = (k: 0 | 1) => (places.length ? (Math.min(...places.map((at) => at[k])) + Math.max(...places.map((at) => at[k]))) / 2 : 0);
    const width = places.length ? 1.5 * now.sketch.size : 100;
    backdrop.value = { url: URL.createObjectURL(file), x: middle(0), y: middle(1), width, ratio: picture.width / picture.height };
  };
  const field = (label: string, key: "x" | "y" | "width") => (
    <NumberField label={label} value={found![key]} unit="" onSet={(value) => (backdrop.value = { ...found!, [key]: value })} />
  );
  return (
    <section data-panel="backdrop">
      <h2>Picture to draw over</h2>
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
