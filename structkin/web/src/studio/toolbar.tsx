// The bar above the drawing: modes, tools, undo, files.
import { showGallery } from "./gallery";
import {
  dirty,
  download,
  edit,
  file,
  mode,
  open,
  openFile,
  refusals,
  save,
  searching,
  send,
  setMode,
  setTool,
  shared,
  state,
  step,
  tell,
  type Tool,
  tool,
} from "./store";

export const TOOLS: { tool: Tool; text: string; key: string; title: string }[] = [
  { tool: "select", text: "Move", key: "v", title: "Select, and drag points; a point dropped on another one becomes a pin" },
  { tool: "link", text: "Link", key: "l", title: "Drag from one end of a link to the other" },
  { tool: "point", text: "Point", key: "p", title: "Click a link to add a point to it" },
  { tool: "ground", text: "Ground", key: "g", title: "Click a point to fix it, and again to free it" },
  { tool: "slider", text: "Slider", key: "s", title: "Drag from a point along its guide, or to the link that has the slot" },
  { tool: "cylinder", text: "Cylinder", key: "c", title: "Drag from one point to another: their distance is driven" },
  { tool: "driver", text: "Driver", key: "d", title: "Click the joint to be driven" },
];

const EXPORTS = {
  "report.html": "Report",
  "mechanism-worksheet.html": "Worksheet of this pose",
  "mechanism.svg": "Picture (SVG)",
  "mechanism.dxf": "Drawing (DXF)",
  "mechanism.gif": "Animation (GIF)",
  "mechanism.toml": "Mechanism file",
};

export function newMechanism() {
  const document = { title: "", units: { length: "mm", angle: "deg" }, points: {}, links: { ground: [] } };
  open({ type: "edit", command: { op: "replace", document } });
  setTool("link");
}

/** Let the reader choose a file to open. */
export const chooseFile = () => document.getElementById("file")!.click();

export function Toolbar() {
  const now = state.value;
  const openShared = () => {
    const text = prompt("Paste a shared mechanism (#m=...)");
    if (text) open({ type: "open", fragment: text });
  };
  return (
    <header class="st-bar">
      <h1 class="st-unseen">structkin studio: {now?.document.title || "a mechanism without a title"}</h1>
      <div class="st-modes" role="group" aria-label="Mode">
        <button type="button" aria-pressed={mode.value === "drive"} title="Drag any point to drive (Space)" onClick={() => setMode("drive")}>Drive</button>
        <button type="button" aria-pressed={mode.value === "edit"} title="Draw and change (Space)" onClick={() => setMode("edit")}>Edit</button>
      </div>
      <div class="st-tools" role="group" aria-label="Tools">
        {TOOLS.map((one) => (
          <button
            key={one.tool}
            type="button"
            aria-pressed={mode.value === "edit" && tool.value === one.tool}
            title={`${one.title} (${one.key.toUpperCase()})`}
            onClick={() => setTool(one.tool)}
          >
            {one.text}
          </button>
        ))}
      </div>
      <div class="st-tools" role="group" aria-label="History">
        <button type="button" title="Undo (Ctrl+Z)" aria-label="Undo" disabled={!now?.undo} onClick={() => step("undo")}>↶</button>
        <button type="button" title="Redo (Ctrl+Shift+Z)" aria-label="Redo" disabled={!now?.redo} onClick={() => step("redo")}>↷</button>
      </div>
      <input
        class="st-title"
        aria-label="Title"
        key={`${refusals.value} ${now?.document.title ?? ""}`}
        title={now?.document.title}
        defaultValue={now?.document.title ?? ""}
        placeholder="Untitled"
        onBlur={({ currentTarget }) => currentTarget.value !== (now?.document.title ?? "") && edit({ op: "set_head", key: "title", value: currentTarget.value })}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
      />
      <div class="st-tools" role="group" aria-label="File">
        <button type="button" title="A new mechanism" onClick={newMechanism}>New</button>
        <button type="button" title="Mechanisms to start from" onClick={showGallery}>Examples</button>
        <button type="button" title="Open a mechanism file, or one of Linkage, PMKS, PMKS+, MotionGen or Pyslvs" onClick={chooseFile}>Open</button>
        <button type="button" class={dirty.value ? "st-dirty" : ""} title={file.value ? `Write ${file.value} (Ctrl+S)` : "Download the mechanism file (Ctrl+S)"} onClick={save}>
          {file.value ? "Save" : "Download"}
        </button>
        <button type="button" title="A text that contains the mechanism and opens in anyone's studio" onClick={() => send({ type: "share" })}>Share</button>
        <button type="button" title="Open a shared mechanism" onClick={openShared}>Paste</button>
        <select aria-label="Export" value="" disabled={searching.value !== ""} onChange={({ currentTarget }) => {
          void download(currentTarget.value);
          currentTarget.value = "";
        }}>
          <option value="">{searching.value.includes(".") ? "…" : "Export"}</option>
          {Object.entries(EXPORTS).map(([name, text]) => <option key={name} value={name}>{text}</option>)}
        </select>
      </div>
      <input id="file" type="file" accept=".toml,.json,.linkage2,.motiongen,.pyslvs,.txt" hidden onChange={({ currentTarget }) => {
        void openFile(currentTarget.files?.[0]);
        currentTarget.value = "";
      }} />
    </header>
  );
}

export function Shared() {
  const texts = [
    ["Text", "In a studio: press “Paste” and enter this text, or put it behind the address of its page.", shared.value],
    ["Command", "Without one: this command starts a studio with the mechanism.", `structkin studio --shared "${shared.value}"`],
  ] as const;
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    tell("Copied");
    shared.value = "";
  };
  return (
    <div class="st-shared" role="dialog" aria-label="Share">
      <p>The mechanism as a text: it contains nothing else, and nothing is uploaded.</p>
      {texts.map(([name, words, text]) => (
        <div key={name}>
          <p>{words}</p>
          <textarea readOnly rows={3} aria-label={name} onFocus={({ currentTarget }) => currentTarget.select()}>{text}</textarea>
          <button type="button" onClick={() => copy(text)}>Copy {name.toLowerCase()}</button>
        </div>
      ))}
      <div class="st-row">
        <button type="button" onClick={() => (shared.value = "")}>Close</button>
      </div>
    </div>
  );
}
