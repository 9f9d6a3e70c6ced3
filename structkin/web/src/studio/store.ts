// The state of the page as signals, and the socket over which it comes.
import { batch, computed, effect, signal } from "@preact/signals";
import type { Pose } from "../pose";
import type { Point, View } from "../types";
import { fileName } from "../words";
import {
  type Choice,
  type Command,
  type Effort,
  type Found,
  type Ghost,
  type Incoming,
  type PoseMessage,
  PROTOCOL,
  type Range,
  type State,
} from "./types";

export type Mode = "drive" | "edit";
export type Tool = "select" | "link" | "point" | "ground" | "slider" | "cylinder" | "driver";
export interface Selected {
  kind: "points" | "links" | "joints" | "drivers";
  name: string;
}

export const state = signal<State | null>(null);
export const pose = signal<Pose>({ ground: { x: 0, y: 0, angle: 0 } });
/** The poses of the last moments, and when each was shown [ms]. */
const shown: { from: number; pose: Pose }[] = [];
const [LATELY, FRAME] = [2000, 16];
effect(() => {
  const now = performance.now();
  shown.push({ from: now, pose: pose.value });
  while (shown.length > 1 && shown[1]!.from < now - LATELY) shown.shift();
});
/** Return the pose that was on the screen when an event was made: while the picture moves, the page learns of it later. */
export const seenAt = ({ timeStamp }: Event): Pose =>
  (shown.filter(({ from }) => from <= timeStamp - FRAME).at(-1) ?? shown[0]!).pose;
export const values = signal<Record<string, number>>({});
export const stopped = signal("");
export const file = signal<string | null>(null);
export const mode = signal<Mode>("drive");
export const tool = signal<Tool>("select");
/** Whether points that are drawn or dragged snap to the grid. */
export const snap = signal(true);
export const selected = signal<Selected | null>(null);
/** What is selected once the studio has accepted its new name. */
export const renamed = signal<Selected | null>(null);
/** Increases when the studio refuses a command: fields then show the old value again. */
export const refusals = signal(0);
export const note = signal<{ text: string; bad: boolean } | null>(null);
export const closed = signal("");
export const ranking = signal<Choice[] | null>(null);
export const ghosts = signal<Ghost[] | null>(null);
export const ranges = signal<Range[] | null>(null);
export const efforts = signal<Effort[]>([]);
/** The scene drawn for the whole motion of a revision. */
export const wide = signal<{ revision: number; scene: View } | null>(null);
/** The scene that is drawn: that of the sketch in Edit, else the one with exact lengths, with slots as long as is known. */
export const scene = computed<View | null>(() => {
  const now = state.value;
  if (!now || mode.value === "edit") return now?.scene ?? null;
  return (wide.value?.revision === now.revision ? wide.value.scene : now.exact) ?? now.scene;
});
/** The driver that is played. */
export const playing = signal<string | null>(null);
/** Notes on what was understood of a file of another tool. */
export const notes = signal<string[] | null>(null);
export const searching = signal<string>("");
/** A background picture, which stays in the page: its middle, its width, and its aspect ratio (width to height). */
export const backdrop = signal<{ url: string; x: number; y: number; width: number; ratio: number } | null>(null);
export const shared = signal("");
export const kept = signal<Kept | null>(null);
export const welcome = signal(false);
/** Increases when the view is to be fitted because another mechanism was opened. */
export const opened = signal(0);
export const dirty = computed(() => !!state.value && !state.value.saved);

/** What the browser keeps of an unsaved document. */
interface Kept {
  document: State["document"];
  time: number;
}

let socket: WebSocket | null = null;
let sequence = 0;
let strokes = Date.now();
const token = tokenOf();

/** Return the token of the address and remove it from view; after a reload it is found in the tab's storage. */
function tokenOf(): string {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given) {
    sessionStorage.setItem("token", given);
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  return given ?? sessionStorage.getItem("token") ?? "";
}

/** Let the browser save a file that the server makes. */
export async function download(name: string) {
  searching.value = name;
  const answer = await fetch(`/export/${name}?token=${encodeURIComponent(token)}`);
  searching.value = "";
  if (!answer.ok) return tell(await answer.text(), true);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = fileName(state.peek()?.document.title, name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function connect() {
  socket = new WebSocket(`ws://${location.host}/ws?token=${encodeURIComponent(token)}`);
  socket.onopen = () => send({ type: "hello", protocol: PROTOCOL });
  socket.onmessage = ({ data }) => take(JSON.parse(data as string) as Incoming);
  socket.onclose = ({ code }) => {
    closed.value =
      code === 4001
        ? "The studio was opened in another tab."
        : "The studio has stopped, or the token is missing: open the address that structkin studio prints.";
  };
}

export function send(message: { type: string } & Record<string, unknown>) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

export const newStroke = () => ++strokes;
/** Whether the last change was a typed value, which may move the drawing out of view. */
export const typed = signal(false);

export function edit(command: Command, stroke?: number) {
  typed.value = command.op === "set_length" || command.op === "set_angle" || command.typed === true;
  send({ type: "edit", command, stroke });
}

/** The drag that is not answered yet, and the place to which the pointer has moved in the meantime. */
let asked = 0;
let ahead: (() => void) | null = null;
/** Drag a place of a link to another place; until the last drag is answered, only the newest place is kept. */
export function drag(link: string, local: Point, to: Point) {
  if (asked) {
    ahead = () => drag(link, local, to);
    return;
  }
  asked = ++sequence;
  send({ type: "drag", link, local, to, seq: asked });
}

function answered() {
  const next = ahead;
  [asked, ahead] = [0, null];
  next?.();
}
export const turn = (driver: string, to: number) => send({ type: "turn", driver, to, seq: ++sequence });

export function search(what: "ranking" | "assemblies" | "limits") {
  searching.value = what;
  send({ type: what });
}

export function tell(text: string, bad = false) {
  note.value = { text, bad };
  setTimeout(() => note.peek()?.text === text && (note.value = null), bad ? 7000 : 3500);
}

/** Undo or redo; a playing driver is stopped first, since a change would not be visible while it moves. */
export function step(type: "undo" | "redo") {
  if (playing.peek()) {
    playing.value = null;
    tell(state.peek()?.[type] ? `Stopped; press again to ${type} the last change` : "Stopped");
  } else if (state.peek()?.[type]) send({ type });
  else tell(`Nothing to ${type}`);
}

let refusedSave = false;
/** Write the file; after a refusal because the file has changed, a second request writes it. */
export function save() {
  if (file.peek()) send({ type: "save", overwrite: refusedSave });
  else void download("mechanism.toml");
  refusedSave = false;
}

type Listener = (message: PoseMessage) => void;
const listeners = new Set<Listener>();
/** Call back at every pose; return what ends it. */
export function onPose(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function take(message: Incoming) {
  batch(() => {
    switch (message.type) {
      case "hello":
        file.value = message.file;
        key = `structkin:${message.key}`;
        welcome.value = message.example;
        refit = true;
        break;
      case "state":
        takeState(message);
        break;
      case "pose":
        if (message.seq === asked) answered();
        // A pose that was under way when editing began would take the links off their handles.
        if (message.revision !== state.peek()?.revision || mode.peek() !== "drive") break;
        place(message.frames, message.drivers);
        stopped.value = message.stopped;
        for (const listener of listeners) listener(message);
        break;
      case "working":
        tell("Still working; large mechanisms take a while");
        break;
      case "refused":
      case "fault":
        answered();
        searching.value = "";
        refit = false;
        renamed.value = null;
        refusals.value += 1;
        refusedSave = message.problems.some(({ hint }) => hint.startsWith("save again"));
        tell(message.problems.map(words).join("; "), true);
        break;
      case "ranking":
        ranking.value = found(message);
        break;
      case "assemblies":
        ghosts.value = found(message);
        break;
      case "limits":
        ranges.value = found(message);
        break;
      case "efforts":
        efforts.value = message.found;
        break;
      case "scene":
        if (!message.failure) wide.value = { revision: message.revision, scene: message.found };
        break;
      case "notes":
        notes.value = message.notes;
        break;
      case "wiggle":
        void wiggle(message.poses);
        break;
      case "saved":
        tell(`Saved ${message.file}`);
        break;
      case "shared":
        shared.value = message.fragment;
        break;
    }
  });
}

/** Return what a search has found, and end it. */
function found<T>(message: Found<T>): T[] {
  searching.value = "";
  if (message.failure) tell(message.failure, true);
  return message.found;
}

let refit = false;
function takeState(message: State) {
  answered();
  const before = state.peek();
  playing.value = null;
  state.value = message;
  rest();
  stopped.value = "";
  if (before && before.revision !== message.revision) {
    [ranking.value, ghosts.value, ranges.value] = [null, null, null];
    [searching.value, shared.value] = ["", ""];
    keep(message);
  }
  if (!before) offerKept(message);
  if (refit) opened.value += 1;
  refit = false;
  const to = renamed.peek();
  if (to && exists(message, to)) [selected.value, renamed.value] = [to, null];
  const name = selected.peek();
  if (name && !exists(message, name)) selected.value = null;
}

function exists({ sketch, document, structure }: State, { kind, name }: Selected): boolean {
  if (kind === "points") return name in sketch.points;
  if (kind === "links") return name in sketch.links;
  return name in (document[kind] ?? {}) || !!structure?.joints.some((joint) => joint.id === name);
}

export const words = ({ key, message, hint }: { key: string; message: string; hint: string }) =>
  `${key ? `${key}: ` : ""}${message}${hint ? `; ${hint}` : ""}`;

export function poseOf(frames: Record<string, [number, number, number]>): Pose {
  const found: Record<string, { x: number; y: number; angle: number }> = { ground: { x: 0, y: 0, angle: 0 } };
  for (const [link, [x, y, angle]] of Object.entries(frames)) found[link] = { x, y, angle };
  return found;
}

/** Show the sketch in Edit, and the pose of the last state in Drive. */
export function rest() {
  const { frames, sketched, drivers } = state.peek() ?? {};
  place(mode.peek() === "edit" ? sketched : frames, drivers);
}

let resting = 0;
function place(frames: State["frames"], drivers: State["drivers"]) {
  pose.value = poseOf(frames ?? {});
  values.value = drivers ?? {};
  clearTimeout(resting);
  efforts.value = [];
  if (frames && state.peek()?.document.forces) resting = setTimeout(() => send({ type: "efforts" }), 250);
}

async function wiggle(poses: Ghost["frames"][]) {
  const before = pose.peek();
  for (const frames of poses) {
    pose.value = poseOf(frames);
    await new Promise((done) => setTimeout(done, 22));
  }
  pose.value = before;
}

// --- what the browser keeps ----------------------------------------------------------------------------------

let key = "";

function keep(message: State) {
  try {
    if (message.saved) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ document: message.document, time: Date.now() } satisfies Kept));
  } catch {
    // if the storage is full or forbidden, nothing is kept
  }
}

function offerKept(message: State) {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "null") as Kept | null;
    if (found && message.saved && JSON.stringify(found.document) !== JSON.stringify(message.document)) kept.value = found;
  } catch {
    // a copy that cannot be read is not offered
  }
}

export function takeKept(restore: boolean) {
  const found = kept.peek();
  kept.value = null;
  if (restore && found) open({ type: "edit", command: { op: "replace", document: found.document } });
  else localStorage.removeItem(key);
}

/** Open another mechanism; the view is fitted when it arrives. */
export function open(message: { type: string } & Record<string, unknown>) {
  refit = true;
  welcome.value = false;
  send(message);
}

/** Once a revision is driven, request slots that are long enough for its motion. */
let widened = -1;
effect(() => {
  const now = state.value;
  if (mode.value !== "drive" || !now?.scene || now.revision === widened) return;
  widened = now.revision;
  send({ type: "scene" });
});
