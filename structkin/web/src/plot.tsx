// Curves over the motion, with a line at the sample that is shown; a press on a plot moves the slider there.
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { posed } from "./pose";
import type { Numbers, Samples } from "./types";
import { digitsOf, fixed, ticks } from "./words";

export interface Curve {
  name: string;
  values: Numbers;
  colour: string;
  dash?: number[];
  faint?: boolean;
}

/** What a plot needs of a player: it marks the sample that is shown, and sets it. */
export interface Shown {
  samples: Samples;
  index: { value: number };
  playing: { value: boolean };
}

export interface PlotProps {
  title: string;
  unit: string;
  x: { name: string; unit: string; values: Numbers };
  curves: Curve[];
  player: Shown;
  height?: number;
  /** Values at which a horizontal line is drawn. */
  marks?: number[];
  range?: [low: number, high: number];
}

/** Of the labels of axes. */
const FONT = "11px system-ui, sans-serif";
/** A smaller part of its values is no range of a curve: magnitudes are made of numbers of six digits. */
const LEAST = 2e-5;
/** Width and colours on paper, independent of the screen. */
const PAPER = { width: 320, share: 0.8, ink: "#444", line: "#ddd" };

export function Plot(props: PlotProps) {
  const { title, unit, x, curves, player, height = 168 } = props;
  const holder = useRef<HTMLDivElement>(null);
  const known = curves.some((curve) => curve.values.some((value) => value !== null));
  useEffect(() => {
    if (!known) return;
    const element = holder.current!;
    const line = document.createElement("div");
    line.className = "sk-now";
    let printed = false;
    const draw = () => {
      const width = printed ? Math.min(PAPER.width * (element.clientWidth > 700 ? 2.05 : 1), 660) : element.clientWidth;
      const made = new uPlot(options(props, element, width, printed ? PAPER.share * height : height, printed), data(props), element);
      made.over.append(line);
      made.over.addEventListener("pointerdown", seek);
      made.over.addEventListener("pointermove", seek);
      return made;
    };
    const seek = (event: PointerEvent) => {
      if (!(event.buttons & 1)) return;
      const index = plot.posToIdx(event.clientX - plot.over.getBoundingClientRect().left);
      player.playing.value = false;
      player.index.value = backwards(x.values) ? x.values.length - 1 - index : index;
    };
    let plot = draw();
    const mark = () => {
      const value = x.values[player.index.value];
      line.style.display = value == null ? "none" : "";
      if (value != null) line.style.transform = `translateX(${plot.valToPos(value, "x")}px)`;
    };
    const again = (onPaper: boolean) => {
      printed = onPaper;
      plot.destroy();
      plot = draw();
      queueMicrotask(mark);
    };
    // at once: the page is laid out on paper as soon as the event is over
    const print = () => again(true);
    const back = () => again(false);
    const stop = effect(mark);
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (printed || width < 40 || Math.abs(width - plot.width) <= 1) return;
      plot.setSize({ width, height });
      mark();
    });
    observer.observe(element);
    addEventListener("beforeprint", print);
    addEventListener("afterprint", back);
    return () => {
      removeEventListener("beforeprint", print);
      removeEventListener("afterprint", back);
      stop();
      observer.disconnect();
      plot.destroy();
    };
  }, [x, curves, player, height, known]);
  const k = player.index.value;
  return (
    <figure class="sk-plot">
      <figcaption>
        <span class="sk-plot-title">
          {title} {unit && <span class="sk-unit">[{unit}]</span>}
        </span>
        {curves.map(({ name, values, colour, dash, faint }) => (
          <span class="sk-key" key={name}>
            <svg viewBox="0 0 22 6" aria-hidden="true">
              <path d="M1 3H21" stroke={colour} stroke-width={faint ? 1.2 : 2} stroke-dasharray={dash?.join(" ")} />
            </svg>
            {name} <b>{fixed(values[k], digitsOf(values, LEAST))}</b>
          </span>
        ))}
      </figcaption>
      {known ? <div ref={holder} class="sk-canvas" /> : <p class="sk-none">not known: {posed(player.samples) ? "the speeds of the drivers are not given" : "no sample has a pose"}</p>}
    </figure>
  );
}

function backwards(values: Numbers): boolean {
  return (values[0] ?? 0) > (values[values.length - 1] ?? 0);
}

/** Return the columns of uPlot, whose first one rises. */
function data({ x, curves }: PlotProps): uPlot.AlignedData {
  const columns = [x.values, ...curves.map((curve) => curve.values)];
  return (backwards(x.values) ? columns.map((values) => [...values].reverse()) : columns) as uPlot.AlignedData;
}

function options(props: PlotProps, element: HTMLElement, width: number, height: number, printed: boolean): uPlot.Options {
  const style = getComputedStyle(element);
  const [ink, line] = printed
    ? [PAPER.ink, PAPER.line]
    : [style.getPropertyValue("--quiet").trim(), style.getPropertyValue("--line").trim()];
  const { x, curves, player, marks = [] } = props;
  const axis: uPlot.Axis = {
    stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 }, font: FONT, labelFont: FONT,
    values: (_plot, values, _axis, _space, step) => ticks(values, step),
  };
  const wide = labelWidth(x.values);
  const paintBands = (plot: uPlot) => {
    for (const [first, last, word] of player.samples.status) {
      if (word === "ok") continue;
      const [a, b] = [x.values[Math.max(first - 1, 0)], x.values[Math.min(last + 1, x.values.length - 1)]];
      if (a == null || b == null) continue;
      const [left, right] = [plot.valToPos(Math.min(a, b), "x", true), plot.valToPos(Math.max(a, b), "x", true)];
      plot.ctx.fillStyle = word === "beyond stroke" ? "#c9dcf088" : "#f4b6b666";
      plot.ctx.fillRect(left, plot.bbox.top, right - left, plot.bbox.height);
    }
  };
  const paintMarks = (plot: uPlot) => {
    for (const value of marks) {
      const y = plot.valToPos(value, "y", true);
      plot.ctx.strokeStyle = ink;
      plot.ctx.lineWidth = devicePixelRatio;
      plot.ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
      plot.ctx.beginPath();
      plot.ctx.moveTo(plot.bbox.left, y);
      plot.ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
      plot.ctx.stroke();
      plot.ctx.setLineDash([]);
    }
  };
  const [low, high] = props.range ?? extent(curves);
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false, x: false },
    scales: { x: { time: false }, y: { range: [low, high] } },
    axes: [
      { ...axis, label: `${x.name}${x.unit ? ` [${x.unit}]` : ""}`, labelSize: 16, size: 26, space: Math.max(50, wide + 12) },
      { ...axis, space: 18, size: (_, texts) => Math.max(58, widest(texts ?? []) + 14) },
    ],
    series: [{}, ...curves.map(({ colour, dash, faint }) => ({ stroke: colour, width: faint ? 1 : 1.8, dash, points: { show: false }, pxAlign: 0 }))],
    hooks: { drawClear: [paintBands], draw: [paintMarks] },
    padding: [8, Math.max(18, wide / 2 + 2), 0, 0],
  };
}

/** Return the width of the widest of some texts at an axis. */
function widest(texts: string[]): number {
  const context = document.createElement("canvas").getContext("2d")!;
  context.font = FONT;
  return Math.max(0, ...texts.map((text) => context.measureText(text).width));
}

/** Return the width of the labels of an x axis with up to twenty ticks. */
function labelWidth(values: Numbers): number {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return high > low ? widest(ticks([low, high], 2.5 * 10 ** Math.floor(Math.log10((high - low) / 20)))) : 0;
}

/** Return the range of the curves with a margin; if rates grow without bound, the range that most samples need. */
function extent(curves: Curve[]): [number, number] {
  const all = curves.flatMap((curve) => curve.values.filter((value) => value !== null)).sort((a, b) => a - b);
  let [low, high] = [all[0] ?? 0, all[all.length - 1] ?? 0];
  const [a, b] = [all[Math.floor(all.length * 0.02)] ?? 0, all[Math.ceil(all.length * 0.98) - 1] ?? 0];
  if (b > a && high - low > 6 * (b - a)) [low, high] = [Math.max(low, a - (b - a)), Math.min(high, b + (b - a))];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const margin = high - low <= 1e-6 * size || size === 0 ? 0.1 * size || 1 : 0.06 * (high - low);
  return [low - margin, high + margin];
}
