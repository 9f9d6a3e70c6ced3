// The state of the page as signals, and the socket over which it comes.
import { batch, computed, effect, signal } from "@preact/signals";
import type { Pose } from "../pose";
import type { Point, View } from "../types";
import { fileName } from "../words";
import {
  type Card,
  type Choice,
  type Command,
  type Courses,
  type Effort,
  type Found,
  type Listed,
  type Ghost,
  type Incoming,
  type LayerData,
  type Placed,
  type PoseMessage,
  PROTOCOL,
  type Range,
  type Run,
  type State,
} from "./types";
import { remembered } from "./remembered";
import { hearFound, hearPoints } from "./wish_store";

export type Mode = "drive" | "edit";
export type Tool = "select" | "link" | "point" | "ground" | "slider" | "cylinder" | "driver" | "path" | "position" | "region";
export interface Selected {
  kind: "points" | "links" | "joints" | "drivers" | "forces";
  name: string;
}

export const state = signal<State | null>(null);
export const pose = signal<Pose>({ ground: { x: 0, y: 0, angle: 0 } });
/** The poses that the mechanism has passed on its way to this one; null where it has jumped. */
export const way = signal<Pose[] | null>(null);
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
/** Whether the slider tool makes a block on a guide, or a pin in a slot. */
export const slotted = remembered("slotted", false);
/** Whether points that are drawn or dragged snap to the grid. */
export const snap = remembered("snap", true);
/** Whether the dimensions of all links are drawn in Edit. */
export const dimensions = remembered("dimensions", false);
export const selected = signal<Selected | null>(null);
/** The points that are selected together. */
export const several = signal<string[]>([]);
/** Whether the points that come next, copies, are to be selected. */
let copies = false;
/** Copy points with what only they have, and select the copies. */
export function duplicate(points: string[]) {
  const gap = 0.1 * (state.peek()?.sketch.size ?? 1);
  copies = true;
  edit({ op: "duplicate", points, by: [gap, -gap].map((part) => Number(part.toPrecision(2))) });
}
/** What is selected once the studio has accepted its new name. */
export const renamed = signal<Selected | null>(null);
/** What a new joint or load still asks for by a click, what was given, and the words for what is next. */
export interface Asked {
  section: "joints" | "forces";
  kind: string;
  asks: { key: string; what: "link" | "point" | "joint"; words: string }[];
  got: Record<string, string>;
}
export const asked = signal<Asked | null>(null);
/** Give a new joint or load the link, point or joint that was clicked. */
export function take(clicked: Record<"link" | "point" | "joint", string | null>) {
  const now = asked.peek()!;
  const next = now.asks.find(({ key }) => !now.got[key]);
  const name = next && clicked[next.what];
  if (name) asked.value = { ...now, got: { ...now.got, [next.key]: name } };
  else if (next) tell(`Click a ${next.what}`, true);
}
/** Whether the reader's colours are dark. */
const night = matchMedia("(prefers-color-scheme: dark)");
export const dark = signal(night.matches);
night.addEventListener("change", ({ matches }) => (dark.value = matches));
/** Increases when the studio refuses a command: fields then show the old value again. */
export const refusals = signal(0);
export const note = signal<{ text: string; bad: boolean } | null>(null);
/** Why the page hears nothing of the studio any more, and what a button offers to do about it. */
export const closed = signal<{ text: string; again: string } | null>(null);
export const ranking = signal<Choice[] | null>(null);
export const ghosts = signal<Ghost[] | null>(null);
/** How far the searches for inputs and for assemblies went. */
export const extent = signal<{ ranking?: string; assemblies?: string }>({});
export const ranges = signal<Range[] | null>(null);
export const efforts = signal<Effort[]>([]);
/** What is to be drawn over the pose, and relative to which link; and what came with the pose that is shown. */
export const layers = signal<{ names: Layer[]; base: string }>({ names: [], base: "ground" });
export type Layer = "velocity" | "acceleration" | "centres" | "forces";
export const layered = signal<LayerData>({});
export function setLayers(names: Layer[], base = layers.peek().base) {
  layers.value = { names, base };
  send({ type: "layers", names, base });
}
/** Whether plots are shown beside the drawing, and what they show of a revision, or why nothing. */
export const plotting = signal(false);
export const courses = signal<{ revision: number; found: Courses | null; failure: string } | null>(null);
/** The box of the motion of a revision, and the scene drawn for it where it differs. */
export const wide = signal<{ revision: number; box: View["box"]; scene: View | null } | null>(null);
/** The scene that is drawn: that of the sketch in Edit, else the one with exact lengths, with slots as long as is known. */
export const scene = computed<View | null>(() => {
  const now = state.value;
  if (!now || mode.value === "edit") return now?.scene ?? null;
  return (wide.value?.revision === now.revision ? wide.value.scene : null) ?? now.exact ?? now.scene;
});
/** The driver that is played, all of them, or a simulation. */
export const ALL = Symbol("all drivers");
export const RUN = Symbol("simulation");
export const playing = signal<string | typeof ALL | typeof RUN | null>(null);
/** The part of a simulation that is shown or was shown last, and the one that follows, once it is found. */
export const run = signal<Run | null>(null);
export const following = signal<Run | null>(null);
/** A place of a link at which the pointer pulls while a simulation runs, and where the pointer is. */
export const pull = signal<{ link: string; local: Point; to: Point } | null>(null);
/** The time [s] at which the laws of the drivers give the pose that is shown. */
export const time = signal<number | null>(null);
/** How fast the motion is played, and what follows its end. */
export const pace = remembered("pace", 1);
export const ending = remembered<"repeat" | "back" | "stop">("ending", "repeat");
/** Points whose paths are drawn, or not, other than those of the scene. */
export const traced = signal<Record<string, boolean>>({});
/** Notes on what was understood of a file of another tool; undone with the opening of the file. */
export const notes = signal<string[] | null>(null);
export const searching = signal<string>("");
/** A background picture, which stays in the page: its middle, its width, and its aspect ratio (width to height). */
export const backdrop = signal<{ url: string; x: number; y: number; width: number; ratio: number } | null>(null);
export const shared = signal("");
export const kept = signal<Kept | null>(null);
export const welcome = signal(false);
/** Increases when the view is to be fitted because another mechanism was opened. */
export const opened = signal(0);
/** Whether the gallery is open, its examples, and the small pictures of those that were seen. */
export const gallery = signal(false);
export const cards = signal<Card[]>([]);
export const thumbnails = signal<Record<string, View>>({});
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
  const own = new WebSocket(`ws://${location.host}/ws?token=${encodeURIComponent(token)}`);
  socket = own;
  own.onopen = () => {
    closed.value = null;
    send({ type: "hello", protocol: PROTOCOL });
  };
  own.onmessage = ({ data }) => hear(JSON.parse(data as string) as Incoming);
  own.onclose = ({ code }) => {
    if (socket !== own) return;
    answeredAll();
    playing.value = null;
    closed.value =
      code === 4001
        ? { text: "The studio was opened in another tab, which shows the mechanism now.", again: "Use it here" }
        : { text: `The studio has stopped, or the token is missing: open the address that structkin studio prints.${sharedWords()}`, again: "Try again" };
  };
}

/** Return what to do with a shared mechanism in an address that has not the token of a studio. */
const sharedWords = () =>
  location.hash.startsWith("#m=")
    ? " This address holds a shared mechanism: put its part from # on behind the address of a studio, or behind structkin studio --shared."
    : "";

/** Messages that change what is shown carry a number, which their answer repeats. */
const CHANGES = new Set(["edit", "undo", "redo", "open", "adopt", "assembly", "settle", "rest", "save", "take"]);
let asks = 0;
/** The last change that was answered, and the last one that was made for what was then shown. */
let [done, made] = [0, 0];
/** Whether the studio has been working on a change for so long [ms] that the page says so. */
export const busy = signal(false);
const QUICK = 100;
let waiting = 0;

export function send(message: { type: string } & Record<string, unknown>) {
  if (socket?.readyState !== WebSocket.OPEN) return;
  if (CHANGES.has(message.type)) {
    message = { ...message, ask: ++asks };
    waiting ||= setTimeout(() => (busy.value = done < asks), QUICK);
  }
  socket.send(JSON.stringify(message));
}

function answeredTo(ask: number) {
  done = Math.max(done, ask);
  if (done < asks) return;
  clearTimeout(waiting);
  [waiting, busy.value] = [0, false];
}

const answeredAll = () => answeredTo(asks);

export const newStroke = () => ++strokes;
/** Whether the last change was a typed value, which may move the drawing out of view. */
export const typed = signal(false);

/** Changes that mean the same whatever change before them is still being made. */
const ADDS = new Set(["add_point", "add_link", "replace"]);

export function edit(command: Command, stroke?: number, sound = false) {
  // a second click on what has not answered yet would undo the first
  if (stroke === undefined && !ADDS.has(command.op)) {
    if (made > done) {
      refusals.value += 1;
      return tell("One moment: the last change is still being made");
    }
  }
  typed.value = command.op === "set_length" || command.op === "set_angle" || command.typed === true;
  send({ type: "edit", command, stroke, ...(sound ? { sound } : {}) });
  if (stroke === undefined && !ADDS.has(command.op)) made = asks;
}

/** The drag that is not answered yet, and the place to which the pointer has moved in the meantime. */
let pulled = 0;
let ahead: (() => void) | null = null;
/** Drag a place of a link to another place; until the last drag is answered, only the newest place is kept. */
export function drag(link: string, local: Point, to: Point) {
  if (pulled) {
    ahead = () => drag(link, local, to);
    return;
  }
  pulled = ++sequence;
  send({ type: "drag", link, local, to, seq: pulled });
}

function answered() {
  const next = ahead;
  [pulled, ahead] = [0, null];
  next?.();
}
export const turn = (driver: string, to: number) => send({ type: "turn", driver, to, seq: ++sequence });

export const seek = (t: number) => send({ type: "seek", t, seq: ++sequence });

export function search(what: "ranking" | "assemblies" | "limits" | "simulate") {
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

function hear(message: Incoming) {
  if ("ask" in message) answeredTo(message.ask!);
  batch(() => {
    switch (message.type) {
      case "hello":
        file.value = message.file;
        key = `structkin:${message.key}`;
        welcome.value = message.example;
        refit = true;
        if (layers.peek().names.length) setLayers(layers.peek().names);
        break;
      case "state":
        takeState(message);
        break;
      case "pose":
        if (message.seq === pulled) answered();
        // A pose that was under way when editing began would take the links off their handles.
        if (message.revision !== state.peek()?.revision || mode.peek() !== "drive") break;
        place(message, message.way);
        stopped.value = message.stopped;
        for (const listener of listeners) listener(message);
        break;
      case "working":
        tell("Still working; large mechanisms take a while");
        break;
      case "refused":
      case "fault":
        if (message.type === "fault" && message.ask === undefined) answeredAll();
        answered();
        searching.value = "";
        [refit, read, copies] = [false, null, false];
        renamed.value = null;
        refusals.value += 1;
        refusedSave = message.problems.some(({ hint }) => hint.startsWith("save again"));
        tell(message.problems.map(words).join("; "), true);
        break;
      case "ranking":
        ranking.value = listed(message);
        break;
      case "assemblies":
        ghosts.value = listed(message);
        break;
      case "limits":
        ranges.value = found(message);
        break;
      case "efforts":
        efforts.value = message.found;
        break;
      case "scene":
        if (!message.failure) wide.value = { revision: message.revision, ...message.found };
        break;
      case "simulation":
        searching.value = "";
        if (message.failure) {
          tell(message.failure, true);
          if (playing.peek() === RUN) playing.value = null;
        } else takePart(message.found as Run);
        break;
      case "courses":
        courses.value = { revision: message.revision, found: Array.isArray(message.found) ? null : message.found, failure: message.failure ?? "" };
        break;
      case "notes":
        read = message.notes;
        break;
      case "found":
        hearFound(message);
        break;
      case "points":
        tell(hearPoints(message.points, message.angles) || `${message.points.length} points were read`);
        break;
      case "gallery":
        cards.value = message.cards;
        break;
      case "thumbnail":
        if (!message.failure) thumbnails.value = { ...thumbnails.peek(), [message.found.name]: message.found.view };
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

/** Show the first part of a simulation, or keep the next one; one that comes after its end is left. */
function takePart(part: Run) {
  if (part.after === null && mode.peek() === "drive") {
    [run.value, following.value] = [part, null];
    playing.value = RUN;
  } else if (part.after !== null && part.after === run.peek()?.part) following.value = part;
}

/** Return what a search has found, and end it. */
function found<T>(message: Found<T>): T[] {
  searching.value = "";
  if (message.failure) tell(message.failure, true);
  return message.found;
}

/** Return the list that a search has found, keep how far it went, and end it. */
function listed<T>(message: { type: "ranking" | "assemblies" } & Listed<T>): T[] {
  searching.value = "";
  if (message.failure) tell(message.failure, true);
  const { list, words } = "list" in message.found ? message.found : { list: [], words: "" };
  extent.value = { ...extent.peek(), [message.type]: words };
  return list;
}

let refit = false;
/** Notes on a file whose mechanism is about to arrive. */
let read: string[] | null = null;
/** How many changes could be undone when it had arrived. */
let openedAt = 0;
function takeState(message: State) {
  answered();
  const before = state.peek();
  // a state that only completes the one before does not end a motion that was begun meanwhile
  if (before?.revision !== message.revision) playing.value = null;
  state.value = message;
  rest();
  stopped.value = "";
  if (before && before.revision !== message.revision) {
    [ranking.value, ghosts.value, ranges.value] = [null, null, null];
    [searching.value, shared.value, run.value] = ["", "", null];
    keep(message);
  }
  if (!before) offerKept(message);
  if (message.changes < openedAt) notes.value = null;
  if (refit) asked.value = null;
  if (refit) [opened.value, notes.value, traced.value, openedAt] = [opened.peek() + 1, read, {}, message.changes];
  [refit, read] = [false, null];
  const to = renamed.peek();
  if (to && exists(message, to)) [selected.value, renamed.value, asked.value] = [to, null, null];
  const { points } = message.sketch;
  if (copies && before) several.value = Object.keys(points).filter((point) => !(point in before.sketch.points));
  else if (several.peek().some((point) => !(point in points))) several.value = several.peek().filter((point) => point in points);
  copies = false;
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
  const now = state.peek() ?? {};
  place(mode.peek() === "edit" ? { ...now, frames: (now as State).sketched } : now);
}

export function setMode(to: Mode) {
  if (mode.peek() === to) return;
  playing.value = null;
  mode.value = to;
  welcome.value = false;
  if (to === "edit") send({ type: "rest" });
  else asked.value = null;
  rest();
}

export function setTool(to: Tool) {
  setMode("edit");
  tool.value = to;
  asked.value = null;
}

let resting = 0;
function place({ frames, drivers, t, layers: over }: Placed, passed?: PoseMessage["way"]) {
  way.value = passed?.map(poseOf) ?? null;
  pose.value = poseOf(frames ?? {});
  values.value = drivers ?? {};
  time.value = t ?? null;
  layered.value = over ?? {};
  clearTimeout(resting);
  efforts.value = [];
  if (frames && state.peek()?.document.forces) resting = setTimeout(() => send({ type: "efforts" }), 250);
}

async function wiggle(poses: Ghost["frames"][]) {
  const before = pose.peek();
  way.value = [];
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

/** The largest file that is opened [bytes]. */
const LARGEST = 1_000_000;
/** Open a file of a mechanism, or show a picture behind the drawing. */
export async function openFile(chosen: File | undefined) {
  if (!chosen) return;
  if (chosen.type.startsWith("image/")) return showBehind(chosen);
  if (chosen.size > LARGEST) return tell("The file is too large", true);
  const bytes = await chosen.arrayBuffer().catch(() => null); // a folder has none
  if (!bytes) return tell(`${chosen.name} cannot be read`, true);
  let text = "";
  for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte);
  open({ type: "open", name: chosen.name, data: btoa(text) });
}

/** Show a picture behind the drawing, a little wider than it. */
export async function showBehind(chosen: File) {
  const picture = await createImageBitmap(chosen).catch(() => null);
  if (!picture) return tell("This file is not a picture", true);
  const { sketch } = state.peek()!;
  const places = Object.values(sketch.points);
  const middle = (k: 0 | 1) => (places.length ? (Math.min(...places.map((at) => at[k])) + Math.max(...places.map((at) => at[k]))) / 2 : 0);
  const width = places.length ? 1.5 * sketch.size : 100;
  backdrop.value = { url: URL.createObjectURL(chosen), x: middle(0), y: middle(1), width, ratio: picture.width / picture.height };
}

/** Open another mechanism; the view is fitted when it arrives. */
export function open(message: { type: string } & Record<string, unknown>) {
  refit = true;
  welcome.value = false;
  send(message);
}

/** Once a revision is driven, request the box of its motion, and slots that are long enough for it. */
let widened = -1;
effect(() => {
  const now = state.value;
  if (mode.value !== "drive" || !now?.scene || now.revision === widened) return;
  widened = now.revision;
  send({ type: "scene" });
});
