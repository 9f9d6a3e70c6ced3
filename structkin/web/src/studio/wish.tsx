// The panel of wishes: a linkage for a path or for positions, or better numbers of the drawing.
import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { BetterForm } from "./better_form";
import { NumberField } from "./fields";
import { mode, send, setTool, tell, tool } from "./store";
import type { Point } from "../types";
import type { State } from "./types";
import type { WishTool } from "./wish_marks";
import { aim, type Aim, angles, closed, finding, MOST, path, positions, region, setPath, taken } from "./wish_store";

const AIMS: Record<Aim, string> = { path: "For a path", positions: "For positions", better: "Better numbers" };
/** The kinds of linkage that are searched: six-bars take some ten times as long. */
const KINDS: Record<"path" | "positions", string[]> = {
  path: ["four-bar", "slider-crank", "Watt I", "Watt II", "Stephenson I", "Stephenson III", "geared five-bar"],
  positions: ["four-bar", "slider-crank", "inverted slider-crank"],
};
/** The steps that a search may take. */
const EFFORTS: Record<string, number> = { quick: 20_000, usual: 100_000, thorough: 500_000 };

const kinds = signal<string[]>(["four-bar"]);
const pivots = signal<[string, string]>(["", ""]);
const timed = signal(false);
/** By how much the crank turns from the first point to the last, if the points are timed. */
const whole = signal<number | undefined>(undefined);
const transmission = signal<number | undefined>(undefined);
const longest = signal<number | undefined>(undefined);
const effort = signal("usual");
const seed = signal(0);

/** Return a whole turn in the unit of angle. */
const turnIn = ({ sketch }: State) => ({ deg: 360, mrad: 2e3 * Math.PI, rev: 1 })[sketch.angle] ?? 2 * Math.PI;

/** Return the longest link that is usual for a path: five times its size, with two digits; the longest ones draw nearly straight lines. */
function longestFor(points: Point[]): number | undefined {
  const spans = [0, 1].map((axis) => Math.max(...points.map((at) => at[axis]!)) - Math.min(...points.map((at) => at[axis]!)));
  return points.length > 1 ? Number((5 * Math.max(...spans)).toPrecision(2)) : undefined;
}

export function Wish({ now }: { now: State }) {
  const choose = (to: Aim) => {
    aim.value = aim.peek() === to ? null : to;
    if (!aim.peek() || to === "better") return void (tool.value = "select");
    setTool(to === "path" ? "path" : "position");
    kinds.value = ["four-bar"];
  };
  return (
    <section data-panel="wish">
      <h2>Find a mechanism</h2>
      <div class="st-row" role="group" aria-label="What is wished">
        {(Object.keys(AIMS) as Aim[]).map((one) => (
          <button key={one} type="button" aria-pressed={aim.value === one} onClick={() => choose(one)}>{AIMS[one]}</button>
        ))}
      </div>
      {aim.value === "path" && <PathForm now={now} />}
      {aim.value === "positions" && <PositionsForm now={now} />}
      {aim.value === "better" && <BetterForm now={now} />}
    </section>
  );
}

/** A button that takes a tool of the drawing. */
export function Draws({ with: which, children }: { with: WishTool; children: string }) {
  const on = mode.value === "edit" && tool.value === which;
  return <button type="button" aria-pressed={on} onClick={() => setTool(on ? "select" : which)}>{children}</button>;
}

/** A table of points that the studio reads. */
export function Table() {
  const input = useRef<HTMLInputElement>(null);
  const read = async (chosen: File | undefined) => {
    const bytes = await chosen?.arrayBuffer().catch(() => null);
    if (!chosen || !bytes) return tell("The table cannot be read", true);
    if (chosen.size > 1_000_000) return tell("The table is too large", true);
    send({ type: "points", name: chosen.name, data: btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("")) });
  };
  return (
    <>
      <button type="button" title="A CSV file with the columns x and y, and perhaps angle" onClick={() => input.current!.click()}>Load a table …</button>
      <input ref={input} type="file" accept=".csv,.txt,text/csv" aria-label="Table of points" hidden onChange={({ currentTarget }) => {
        void read(currentTarget.files?.[0]);
        currentTarget.value = "";
      }} />
    </>
  );
}

/** What a path or positions are searched with. */
function Choices({ now, of }: { now: State; of: "path" | "positions" }) {
  const points = Object.keys(now.sketch.points);
  const pick = (k: 0 | 1, name: string) => (pivots.value = pivots.peek().map((old, other) => (other === k ? name : old)) as [string, string]);
  const switched = (name: string) => (kinds.value = kinds.peek().includes(name) ? kinds.peek().filter((one) => one !== name) : [...kinds.peek(), name]);
  return (
    <>
      <div role="group" aria-label="Kinds of linkage" class="st-kinds">
        {KINDS[of].map((name) => (
          <label key={name} class="st-check"><input type="checkbox" checked={kinds.value.includes(name)} onChange={() => switched(name)} />{name}</label>
        ))}
      </div>
      {points.length > 0 && (
        <div class="st-row" title="Points of the drawing that the linkage has as ground pivots">
          {([0, 1] as const).map((k) => (
            <label key={k} class="st-field">
              <span>pivot {k + 1}</span>
              <select value={pivots.value[k]} onChange={({ currentTarget }) => pick(k, currentTarget.value)}>
                <option value="">free</option>
                {points.map((name) => <option key={name}>{name}</option>)}
              </select>
            </label>
          ))}
        </div>
      )}
    </>
  );
}

const chosenPivots = ({ sketch }: State) => pivots.peek().filter((name) => name in sketch.points);

/** Begin to search; what is wrong with the wish is said by the studio. */
export function find(wish: Record<string, unknown>) {
  taken.value = null;
  send({ type: "find", wish });
}

export function FindButton({ disabled, onFind, children }: { disabled: boolean; onFind: () => void; children: string }) {
  return (
    <div class="st-row">
      <button type="button" class="st-find" disabled={disabled || finding.value} onClick={onFind}>{finding.value ? "Searching …" : children}</button>
    </div>
  );
}

function PathForm({ now }: { now: State }) {
  const count = path.value.length;
  const turn = turnIn(now);
  const last = closed.value ? turn * (1 - 1 / Math.max(count, 1)) : (whole.value ?? turn / 2);
  const most = longest.value ?? longestFor(path.value);
  const timing = () => (!timed.peek() ? undefined : (angles.peek() ?? path.peek().map((_, k) => (last * k) / (count - 1))));
  const start = (other: number) => {
    seed.value = other;
    find({
      aim: "path", points: path.peek(), closed: closed.peek(), timing: timing(), kinds: kinds.peek(), pivots: chosenPivots(now),
      region: region.peek() ?? undefined, longest: most, transmission: transmission.peek(), seed: other, budget: EFFORTS[effort.peek()],
    });
  };
  return (
    <>
      <p class="st-quiet">Draw the path with the pointer, click its points in their order, or load them. Dots can be dragged.</p>
      <div class="st-row">
        <Draws with="path">Draw</Draws>
        <Table />
        <button type="button" disabled={!count} onClick={() => setPath(path.peek().slice(0, -1))}>Remove last</button>
        <button type="button" disabled={!count} onClick={() => setPath([])}>Clear</button>
      </div>
      <p>{count} {count === 1 ? "point" : "points"}{angles.value ? ", with angles of the crank" : ""}</p>
      <label class="st-check"><input type="checkbox" checked={closed.value} onChange={({ currentTarget }) => (closed.value = currentTarget.checked)} />closed: the crank makes whole turns</label>
      <label class="st-check"><input type="checkbox" checked={timed.value} onChange={({ currentTarget }) => (timed.value = currentTarget.checked)} />timed: {angles.value ? "at the angles of the table" : "at equal steps of the crank"}</label>
      {timed.value && !closed.value && !angles.value && (
        <NumberField label="crank turns by" quantity="angle" value={last} unit={now.sketch.angle} onSet={(value) => (whole.value = value)} />
      )}
      <Choices now={now} of="path" />
      <div class="st-row">
        <Draws with="region">{region.value ? "Region of pivots ✓" : "Region of pivots"}</Draws>
        {region.value && <button type="button" onClick={() => (region.value = null)}>No region</button>}
      </div>
      <NumberField label="transmission angle, least" quantity="angle" value={transmission.value} unit={now.sketch.angle} onSet={(value) => (transmission.value = value)} onClear={() => (transmission.value = undefined)} />
      <NumberField label="longest link" quantity="length" value={most} unit={now.sketch.unit} onSet={(value) => (longest.value = value)} onClear={() => (longest.value = undefined)} />
      <label class="st-field">
        <span>search</span>
        <select aria-label="How long to search" value={effort.value} onChange={({ currentTarget }) => (effort.value = currentTarget.value)}>
          {Object.keys(EFFORTS).map((name) => <option key={name}>{name}</option>)}
        </select>
      </label>
      <FindButton disabled={count < 3 || !kinds.value.length} onFind={() => start(0)}>Find</FindButton>
      {count >= 3 && !finding.value && <button type="button" class="st-chip" title="Begin with other linkages" onClick={() => start(seed.peek() + 1)}>Search with other starts</button>}
    </>
  );
}

function PositionsForm({ now }: { now: State }) {
  const count = positions.value.length;
  const set = (k: number, axis: number, value: number) =>
    (positions.value = positions.peek().map((old, other) => (other === k ? (old.map((part, i) => (i === axis ? value : part)) as typeof old) : old)));
  return (
    <>
      <p class="st-quiet">Press where the origin of the body is, and drag along its x axis: two to {MOST} positions, in their order.</p>
      <div class="st-row">
        <Draws with="position">Place</Draws>
        <Table />
        <button type="button" disabled={!count} onClick={() => (positions.value = [])}>Clear</button>
      </div>
      {positions.value.map((one, k) => (
        <div key={k} class="st-row st-place" role="group" aria-label={`Position ${k + 1}`}>
          <b>{k + 1}</b>
          <NumberField label="x" quantity="coordinate" value={one[0]} unit="" onSet={(value) => set(k, 0, value)} />
          <NumberField label="y" quantity="coordinate" value={one[1]} unit="" onSet={(value) => set(k, 1, value)} />
          <NumberField label="angle" quantity="angle" value={one[2]} unit="" onSet={(value) => set(k, 2, value)} />
          <button type="button" class="st-chip" aria-label={`Remove position ${k + 1}`} onClick={() => (positions.value = positions.peek().filter((_, other) => other !== k))}>×</button>
        </div>
      ))}
      <Choices now={now} of="positions" />
      <FindButton disabled={count < 2 || !kinds.value.length} onFind={() => find({ aim: "positions", positions: positions.peek(), kinds: kinds.peek(), pivots: chosenPivots(now) })}>Find</FindButton>
    </>
  );
}
