// The panel of the selection.
import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { spot } from "../pose";
import { fixed, number } from "../words";
import { driveAt } from "./canvas";
import { Field, NumberField, type Quantity } from "./fields";
import { EntryForm, type Fields } from "./entry_form";
import { MassFields } from "./mass_form";
import { duplicate, edit, mode, pose, renamed, scene, selected, several, state, traced } from "./store";
import type { State } from "./types";

/** What can be done with several points. */
function Several({ points }: { points: string[] }) {
  const change = (how: Record<string, unknown>) => edit({ op: "transform", points, ...how });
  const ask = (label: string, unit: string, quantity: Quantity, usual: number, make: (value: number) => Record<string, unknown>) => (
    <NumberField label={label} quantity={quantity} value={usual} unit={unit} onSet={(value) => change(make(value))} />
  );
  return (
    <section data-panel="several">
      <h2>{points.length} points</h2>
      <p class="st-quiet">{points.join(", ")}</p>
      <div class="st-row">
        <button type="button" title="Ctrl+D" onClick={() => duplicate(points)}>Duplicate</button>
        <button type="button" title="Left becomes right" onClick={() => change({ mirror: "x" })}>Mirror ↔</button>
        <button type="button" title="Up becomes down" onClick={() => change({ mirror: "y" })}>Mirror ↕</button>
        <button type="button" title="All get the y of the first" onClick={() => edit({ op: "align", points, axis: "y" })}>Align ―</button>
        <button type="button" title="All get the x of the first" onClick={() => edit({ op: "align", points, axis: "x" })}>Align |</button>
        <button type="button" class="st-danger" onClick={() => edit({ op: "delete_points", points })}>Delete</button>
      </div>
      <div class="st-row">
        {ask("turn by", state.value!.sketch.angle, "angle", 0, (turn) => ({ turn }))}
        {ask("scale by", "", "length", 1, (scale) => ({ scale }))}
      </div>
      <p class="st-quiet">Drag them, or move them with the arrows. Lengths between them and guides follow; radii, strokes and masses stay.</p>
    </section>
  );
}

export function Selection({ now }: { now: State }) {
  if (several.value.length > 1 && mode.value === "edit") return <Several points={several.value} />;
  return <One now={now} />;
}

function One({ now }: { now: State }) {
  const chosen = selected.value;
  const form = useRef<HTMLElement>(null);
  useEffect(() => form.current?.scrollIntoView({ block: "nearest" }), [chosen]);
  if (!chosen) return null;
  const { kind, name } = chosen;
  const joint = now.structure?.joints.find((one) => one.id === name);
  const entry = kind === "joints" || kind === "drivers" || kind === "forces" ? now.document[kind]?.[name] : undefined;
  const own = now.structure?.drivers.some((driver) => driver.joint === name);
  return (
    <section ref={form} data-panel="selection" key={`${kind} ${name}`}>
      <h2>{{ points: "Point", links: "Link", joints: "Joint", drivers: "Driver", forces: "Load" }[kind]} <em>{name}</em></h2>
      {name !== "ground" && (
        <Field label="Name" value={name} onSet={(to) => {
          renamed.value = { kind, name: to };
          edit({ op: "rename", section: kind, name, to });
        }} />
      )}
      {kind === "points" && <PointFields now={now} name={name} />}
      {kind === "links" && <LinkFields now={now} name={name} />}
      {kind === "links" && name !== "ground" && <MassFields now={now} name={name} />}
      {entry && typeof entry.type === "string" && <p class="st-quiet">Kind: {entry.type}</p>}
      {entry && <EntryForm section={kind as Fields} name={name} entry={entry} now={now} />}
      <div class="st-row">
        {(kind === "points" || kind === "joints") && joint && joint.kind.match(/^[RP]$/) && (
          <button type="button" disabled={own} onClick={() => driveAt(now, name)}>{own ? "Drives" : "Drive here"}</button>
        )}
        <button type="button" class="st-danger" onClick={() => edit({ op: "delete", section: kind, name })}>Delete</button>
      </div>
    </section>
  );
}

/** The place of a point in the current pose, which differs from the sketch. */
function Here({ now, name }: { now: State; name: string }) {
  const text = useComputed(() => {
    const point = scene.value?.points.find((one) => one.name === name);
    const at = point && spot(pose.value, [point.link, ...point.at]);
    return at ? `x = ${fixed(at[0], 4)}, y = ${fixed(at[1], 4)} ${now.sketch.unit} in this pose` : "not in the motion";
  });
  return <p class="st-here">{text}</p>;
}

/** Whether the path of a point is drawn while the mechanism moves. */
function Trace({ name }: { name: string }) {
  const usual = scene.value?.points.find((one) => one.name === name)?.trace ?? false;
  return (
    <label class="st-check">
      <input type="checkbox" checked={traced.value[name] ?? usual} onChange={({ currentTarget }) => (traced.value = { ...traced.value, [name]: currentTarget.checked })} />
      Draw its path in Drive
    </label>
  );
}

function PointFields({ now, name }: { now: State; name: string }) {
  const [x, y] = now.sketch.points[name] ?? [0, 0];
  const links = Object.entries(now.sketch.links).filter(([, members]) => members.includes(name)).map(([link]) => link);
  const others = Object.keys(now.sketch.links).filter((link) => !links.includes(link));
  const move = (at: [number, number]) => edit({ op: "move_point", point: name, at, typed: true });
  return (
    <>
      {mode.value === "drive" ? (
        <Here key={now.revision} now={now} name={name} />
      ) : (
        <div class="st-row">
          <NumberField label="x" quantity="coordinate" value={x} unit={now.sketch.unit} onSet={(value) => move([value, y])} />
          <NumberField label="y" quantity="coordinate" value={y} unit={now.sketch.unit} onSet={(value) => move([x, value])} />
        </div>
      )}
      {scene.value?.points.some((one) => one.name === name) && <Trace name={name} />}
      <p class="st-quiet">
        On{" "}
        {links.map((link) => (
          <button key={link} type="button" class="st-chip" title="Remove the point from this link" onClick={() => edit({ op: "detach", point: name, link })}>{link} ×</button>
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
        const drawn = Math.hypot(place(first)[0] - place(second)[0], place(first)[1] - place(second)[1]);
        const locked = now.sketch.lengths[`${first}-${second}`] ?? now.sketch.lengths[`${second}-${first}`];
        const given = locked !== undefined;
        const length = locked ?? drawn;
        const set = (value: number | null) => edit({ op: "set_length", first, second, length: value });
        return (
          <div class="st-row" key={`${first}-${second}`}>
            <NumberField label={`${first}–${second}`} quantity="length" value={length} unit={now.sketch.unit} onSet={set} />
            <button type="button" aria-pressed={given} title={given ? "The length is locked; click to unlock it" : "Lock this length"} onClick={() => set(given ? null : Number(length.toPrecision(6)))}>
              {given ? "locked" : "lock"}
            </button>
            {Math.abs(length - drawn) > 1e-4 * now.sketch.size && (
              <p class="st-quiet">{number(drawn, 5)} {now.sketch.unit} in the sketch; “Use this pose as the sketch” in Drive makes them agree.</p>
            )}
          </div>
        );
      })}
      {name !== "ground" && a && b && mode.value === "edit" && (
        <NumberField label="angle" quantity="angle" value={reach * turnOf(a, b)} unit={now.sketch.angle} onSet={(angle) => edit({ op: "set_angle", first: a, second: b, angle })} />
      )}
    </>
  );
}
