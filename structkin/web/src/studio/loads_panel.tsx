// The panel of loads: gravity, the loads there are, and a new one.
import { NewEntry } from "./forms";
import { NumberField } from "./fields";
import { edit, selected } from "./store";
import type { State } from "./types";

const EARTH = 9.81;

export function LoadsPanel({ now }: { now: State }) {
  const { gravity, ...loads } = now.document.forces ?? {};
  const given = Array.isArray(gravity) ? gravity.map(Number) : null;
  const set = (value: number[] | null) => edit({ op: "set_gravity", value });
  return (
    <>
      <section data-panel="loads">
        <h2>Masses and loads</h2>
        <label class="st-check">
          <input type="checkbox" checked={!!given} onChange={({ currentTarget }) => set(currentTarget.checked ? [0, -EARTH] : null)} />
          Gravity
        </label>
        {given && (
          <div class="st-row">
            <NumberField label="x" quantity="plain" value={given[0] ?? 0} unit="m/s²" onSet={(x) => set([x, given[1] ?? 0])} />
            <NumberField label="y" quantity="plain" value={given[1] ?? 0} unit="m/s²" onSet={(y) => set([given[0] ?? 0, y])} />
          </div>
        )}
        {Object.entries(loads).map(([name, { type }]) => (
          <button key={name} type="button" class="st-chip" onClick={() => (selected.value = { kind: "forces", name })}>{name} ({String(type)})</button>
        ))}
        <p class="st-quiet">The panel of a link has its mass. Each driver shows what holds the pose at rest.</p>
      </section>
      <NewEntry now={now} section="forces" />
    </>
  );
}
