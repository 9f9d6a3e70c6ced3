// The studio: the page that `structkin studio` serves.
import "uplot/dist/uPlot.min.css";
import "../style.css";
import "./drawing.css";
import "./studio.css";
import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { Canvas } from "./canvas";
import { FoundCards } from "./found";
import { Begin, Gallery } from "./gallery";
import { pixels } from "./over";
import { Panels } from "./panels";
import { Player } from "./play";
import { Plots } from "./plots";
import { gridStep } from "./ruler";
import {
  asked,
  busy,
  closed,
  connect,
  dirty,
  duplicate,
  edit,
  gallery,
  kept,
  mode,
  newStroke,
  note,
  notes,
  open,
  openFile,
  plotting,
  save,
  selected,
  several,
  setMode,
  setTool,
  shared,
  snap,
  state,
  step,
  takeKept,
  tell,
  tool,
  welcome,
} from "./store";
import type { State } from "./types";
import { chooseFile, Shared, Toolbar, TOOLS } from "./toolbar";
import { aim } from "./wish_store";

/** Whether a file is held over the page. */
const held = signal(false);

function Closed() {
  const { text, again } = closed.value!;
  return (
    <p class="st-closed" role="alert">
      {text} <button type="button" onClick={connect}>{again}</button>
    </p>
  );
}

/** What a new joint asks for next. */
function Ask() {
  const { kind, asks, got } = asked.value!;
  const next = asks.find(({ key }) => !got[key]);
  return <p class="st-ask" role="status">New {kind}: {next ? `click ${next.words} (Esc ends it)` : "press “Add” in the panel"}</p>;
}

function Studio() {
  if (!state.value) return <div class="sk st-wait">{closed.value ? <Closed /> : "Connecting …"}</div>;
  return (
    <div class={`sk st-page ${busy.value ? "st-working" : ""}`} aria-busy={busy.value}>
      <Toolbar />
      {shared.value && <Shared />}
      {gallery.value && <Gallery />}
      <main class="st-main">
        {kept.value && (
          <p class="st-kept" role="alert">
            The browser has kept changes of {new Date(kept.value.time).toLocaleString()} that were not saved.
            {" "}
            <button type="button" onClick={() => takeKept(true)}>Restore</button>{" "}
            <button type="button" onClick={() => takeKept(false)}>Discard</button>
          </p>
        )}
        {notes.value && (
          <div class="st-kept st-notes" role="alert">
            <b>How the file was read</b>
            <ul>{notes.value.map((line) => <li key={line}>{line}</li>)}</ul>
            <button type="button" onClick={() => (notes.value = null)}>Close</button>
          </div>
        )}
        <div class="st-stage">
          {welcome.value && mode.value === "drive" && (
            <p class="st-welcome">Drag the crank, or any point: the mechanism moves. “Edit” changes it, “New” begins your own.</p>
          )}
          <div class="st-said">
            {asked.value && <Ask />}
            {note.value && <p class={`st-note ${note.value.bad ? "st-bad" : ""}`} role="status">{note.value.text}</p>}
          </div>
          <Canvas />
          {isEmpty(state.value) && !aim.value && <Begin choose={chooseFile} />}
          {busy.value && <p class="st-busy" role="status">Working …</p>}
          {closed.value && <Closed />}
          {held.value && <p class="st-drop">Drop the file to open it; a picture is shown behind the drawing</p>}
        </div>
        <FoundCards />
        {plotting.value && <Plots now={state.value} />}
        <Player now={state.value} />
      </main>
      <Panels />
    </div>
  );
}

const isEmpty = ({ sketch }: State) => !Object.keys(sketch.points).length && !Object.keys(sketch.links).some((link) => link !== "ground");

// the tab says which mechanism it shows, and whether it is saved
effect(() => {
  const title = state.value?.document.title;
  document.title = `${dirty.value ? "● " : ""}${title ? `${title} – ` : ""}structkin studio`;
});

addEventListener("keydown", (event) => {
  if (gallery.peek()) return;
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  const field = fieldOf(event.target);
  if (field && command && key === "s") field.blur(); // what was typed is saved as well
  else if (field && !(command && field.matches("[type=checkbox], [type=range]"))) return;
  if (command && key === "z") step(event.shiftKey ? "redo" : "undo");
  else if (command && key === "y") step("redo");
  else if (command && key === "s") save();
  else if (command && key === "c" && chosenPoints().length) copied = chosenPoints();
  else if (command && key === "v" && copied.length) {
    setMode("edit");
    duplicate(copied.filter((name) => name in state.peek()!.sketch.points));
  } else if (command && key === "d" && chosenPoints().length) duplicate(chosenPoints());
  else if (command && key === "a" && mode.peek() === "edit") several.value = Object.keys(state.peek()!.sketch.points);
  else if (command || event.altKey) return;
  else if ((key === "delete" || key === "backspace") && several.peek().length > 1 && mode.peek() === "edit") {
    edit({ op: "delete_points", points: several.peek() });
  } else if ((key === "delete" || key === "backspace") && selected.peek()) {
    const { kind, name } = selected.peek()!;
    edit({ op: "delete", section: kind, name });
  } else if (key === "escape") [selected.value, asked.value, several.value] = [null, null, []];
  else if (key === " " && !presses(event.target)) setMode(mode.peek() === "drive" ? "edit" : "drive");
  else if (key === "enter" && event.target instanceof SVGSVGElement) selectNext(event.shiftKey ? -1 : 1);
  else if (key === "n") snap.value = !snap.peek();
  else {
    const found = TOOLS.find((one) => one.key === key);
    if (!found) return;
    setTool(found.tool);
  }
  event.preventDefault();
});

/** Return the field that has the focus, if it is one. */
const fieldOf = (target: EventTarget | null) =>
  target instanceof HTMLElement ? target.closest<HTMLElement>("input, textarea, select") : null;

/** The points that Ctrl+C has taken. */
let copied: string[] = [];

/** Return the points of the selection: those selected together, one, or those of a link. */
function chosenPoints(): string[] {
  if (mode.peek() !== "edit") return [];
  if (several.peek().length) return several.peek();
  const { kind, name } = selected.peek() ?? {};
  if (kind === "points") return [name!];
  return kind === "links" && name !== "ground" ? (state.peek()!.sketch.links[name!] ?? []) : [];
}

/** Steps by the arrows that follow each other within this time [ms] are one change, and do not wait for each other. */
const STROKE = 1000;
let nudged: { points: string; time: number; to: [number, number]; stroke: number } | null = null;
const WAYS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
// before the drawing moves its view: the arrows move what is selected by a square of the grid, with Shift by a tenth
addEventListener(
  "keydown",
  (event) => {
    const way = WAYS[event.key];
    const points = chosenPoints();
    if (!way || !points.length || tool.peek() !== "select" || gallery.peek() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (fieldOf(event.target)) return;
    const step = gridStep(pixels(1)) * (event.shiftKey ? 0.1 : 1);
    const goesOn = nudged && nudged.points === points.join() && event.timeStamp - nudged.time < STROKE;
    const [x, y] = goesOn ? nudged!.to : state.peek()!.sketch.points[points[0]!]!;
    const to: [number, number] = [x + step * way[0], y + step * way[1]];
    nudged = { points: points.join(), time: event.timeStamp, to, stroke: goesOn ? nudged!.stroke : newStroke() };
    edit({ op: "transform", points, to }, nudged.stroke);
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

const brings = ({ dataTransfer }: DragEvent) => !!dataTransfer?.types.includes("Files");
addEventListener("dragover", (event) => {
  if (!brings(event)) return;
  event.preventDefault();
  held.value = true;
});
addEventListener("dragleave", ({ relatedTarget }) => relatedTarget || (held.value = false));
addEventListener("drop", (event) => {
  if (!brings(event)) return;
  event.preventDefault();
  held.value = false;
  const { files } = event.dataTransfer!;
  if (files.length > 1) tell("Drop one file at a time: none was opened", true);
  else void openFile(files[0]);
});

/** Whether Space presses what has the focus: a button, except for those of the modes, which Space switches anyway. */
const presses = (target: EventTarget | null) => target instanceof HTMLButtonElement && !target.closest(".st-modes");
// otherwise some browsers press the button when the key comes up
addEventListener("keyup", (event) => {
  if (event.key === " " && event.target instanceof Element && event.target.closest(".st-modes")) event.preventDefault();
});

/** Select the point after or before the selected one. */
function selectNext(step: 1 | -1) {
  const points = Object.keys(state.peek()!.sketch.points);
  const at = selected.peek()?.kind === "points" ? points.indexOf(selected.peek()!.name) : step > 0 ? -1 : 0;
  const name = points[(at + step + points.length) % points.length];
  if (name) selected.value = { kind: "points", name };
}

/** A shared mechanism in the fragment of the address. */
function openFragment() {
  if (!location.hash.startsWith("#m=")) return;
  open({ type: "open", fragment: location.hash });
  history.replaceState(null, "", location.pathname);
}

addEventListener("hashchange", openFragment);
const ready = state.subscribe((now) => {
  if (!now) return;
  openFragment();
  queueMicrotask(() => ready());
});
connect();
const root = document.getElementById("studio")!;
// what the page says while it loads
root.replaceChildren();
render(<Studio />, root);
