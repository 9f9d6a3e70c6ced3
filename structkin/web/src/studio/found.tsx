// What a search has found: small moving pictures to choose from, below the drawing, and how far the search is.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { fitted, type Size, worldTransform } from "../camera";
import { grown, poseAt, spot, wholeBox } from "../pose";
import { pathOf, Shapes } from "../shapes";
import type { Point } from "../types";
import { number } from "../words";
import { shaded } from "./draft";
import { dark, open, send, setMode, state, tool, traced } from "./store";
import { closed, finding, found, type FoundCard, path, positions, taken } from "./wish_store";

/** What is left of an error, in sizes of the drawing, where all points are met. */
const EXACT = 1e-9;
const SIZE: Size = [200, 130];
/** Seconds that the motion of a small picture takes, and how often [ms] a search is looked at. */
const [WHOLE, LOOK] = [4, 400];

/** Make a card the drawing; the view is fitted to a linkage. */
function take({ id, point }: FoundCard) {
  taken.value = id;
  if (!point) return send({ type: "take", id });
  open({ type: "take", id });
  setMode("drive");
  tool.value = "select";
  const before = state.peek();
  const stop = state.subscribe((now) => {
    if (now === before) return;
    // the path of the point that passes the wished ones is drawn
    queueMicrotask(() => {
      stop();
      traced.value = { ...traced.peek(), [point]: true };
    });
  });
}

export function FoundCards() {
  const now = found.value;
  const searches = finding.value;
  useEffect(() => {
    if (!searches) return;
    const timer = setInterval(() => send({ type: "look", seen: found.peek()!.version }), LOOK);
    return () => clearInterval(timer);
  }, [searches]);
  if (!now) return null;
  const [count, better] = [now.cards.length, now.aim === "better"];
  const linkages = `${count || "No"} ${count === 1 ? "linkage" : "linkages"}`;
  const words = searches
    ? count ? `${count} found so far` : better ? "Looking for better numbers" : "Looking for linkages"
    : now.failure || (now.stopped ? (count ? `${linkages}, stopped` : "Stopped: nothing had been found yet") : better ? "Better numbers" : linkages);
  return (
    <section class="st-found" aria-label="What was found">
      <div class="st-row">
        <b role="status" class={now.failure ? "st-failure" : ""}>{words}</b>
        {searches && <progress value={now.part} aria-label="How far the search is" />}
        {searches ? (
          <button type="button" onClick={() => send({ type: "stop" })}>Stop</button>
        ) : (
          <button type="button" onClick={() => (found.value = null)}>{better && count ? "Discard" : "Close"}</button>
        )}
      </div>
      {count > 0 && <div class="st-cards">{now.cards.map((card) => <OneCard key={card.id} card={card} accepts={better} />)}</div>}
      {now.notes.map((line) => <p key={line} class="st-quiet">{line[0]!.toUpperCase() + line.slice(1)}</p>)}
    </section>
  );
}

function OneCard({ card, accepts }: { card: FoundCard; accepts: boolean }) {
  const { unit, size } = state.value!.sketch;
  const facts = [
    card.error !== undefined && (card.error < EXACT * size ? "exact" : `off by ${number(card.error, 3)} ${unit}`),
    card.transmission != null && `transmission ≥ ${number(card.transmission, 3)}°`,
    card.circuits != null && `${card.circuits} ${card.circuits === 1 ? "circuit" : "circuits"}`,
    card.cognate && "cognate",
    card.value !== undefined && `sum of squares ${number(card.value, 4)}`,
  ].filter((fact) => !!fact);
  const isChoice = !accepts || !!card.numbers;
  const picture = (
    <>
      <span class="st-thumb"><Moving card={card} /></span>
      <b>{card.title}</b>
      {card.words?.map((line) => <small key={line}>{line.split(": ").slice(1).join(": ") || line}</small>)}
      {facts.map((fact) => <small key={String(fact)}>{fact}</small>)}
      {card.defects?.map((line) => <small key={line} class="st-failure">{line}</small>)}
      {card.numbers && Object.entries(card.numbers).map(([name, [before, after]]) => (
        <small key={name}>{name}: {number(before, 4)} → {number(after, 4)}</small>
      ))}
    </>
  );
  if (!isChoice) return <div class="st-card">{picture}</div>;
  return (
    <button type="button" class="st-card" aria-pressed={taken.value === card.id} title={accepts ? "Take these numbers" : "Make it the drawing; Undo brings the old one back"} onClick={() => take(card)}>
      {picture}
      {accepts && <em>Accept</em>}
    </button>
  );
}

/** The motion of a card, there and back unless it closes, with the path of its point and the wished ones. */
function Moving({ card: { view, point } }: { card: FoundCard }) {
  const place = useSignal(0);
  const samples = view.samples!;
  const pose = useComputed(() => poseAt(samples, Math.round(place.value)));
  const shown = useMemo(() => shaded(view, dark.value), [view, dark.value]);
  const traces = useMemo(() => {
    const names = point ? view.points.filter(({ name }) => name === point) : view.points.filter(({ trace }) => trace);
    return names.map((one) => Array.from({ length: samples.n }, (_, k) => spot(poseAt(samples, k), [one.link, ...one.at])));
  }, [view]);
  const wished: Point[] = !point ? [] : found.value?.aim === "positions" ? positions.value.map(([x, y]): Point => [x, y]) : path.value;
  const camera = useMemo(() => fitted(wished.reduce(grown, wholeBox(view, pose.peek())), SIZE, 10), [view, wished.length]);
  useEffect(() => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    let request = requestAnimationFrame(function tick(time) {
      const part = (time / 1000 / WHOLE) % 1;
      place.value = (closed.peek() || !point ? part : 1 - Math.abs(2 * part - 1)) * (samples.n - 1);
      request = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(request);
  }, [view]);
  return (
    <svg viewBox={`0 0 ${SIZE[0]} ${SIZE[1]}`} aria-hidden="true">
      <g class="sk-world" transform={worldTransform(camera, SIZE)}>
        <g class="st-wish">
          {traces.map((places, k) => <path key={k} class="st-course" d={pathOf(places)} />)}
          {wished.map(([x, y], k) => <circle key={k} cx={x} cy={y} r={2.2 / camera.scale} />)}
        </g>
        <Shapes shapes={shown.shapes} pose={pose} name="sk-shapes" />
      </g>
    </svg>
  );
}
