// The gallery of examples: small moving pictures, by what they are for; and what an empty page says.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { fitted, type Size, worldTransform } from "../camera";
import { poseAt, wholeBox } from "../pose";
import { Shapes } from "../shapes";
import type { View } from "../types";
import { shaded } from "./draft";
import { cards, dark, gallery, open, send, setTool, thumbnails } from "./store";
import type { Card } from "./types";

const SIZE: Size = [220, 140];
/** Seconds that the motion of a small picture takes. */
const WHOLE = 4;

export function showGallery() {
  gallery.value = true;
  if (!cards.peek().length) send({ type: "gallery" });
}

export function Gallery() {
  const text = useSignal("");
  const need = useSignal("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current!.focus(), []);
  const needs = [...new Set(cards.value.map((card) => card.need))];
  const terms = text.value.toLowerCase().split(/\s+/);
  const found = cards.value.filter((card) => {
    const words = `${card.title} ${card.need} ${card.words} ${card.name}`.toLowerCase();
    return (!need.value || card.need === need.value) && terms.every((term) => words.includes(term));
  });
  const close = () => (gallery.value = false);
  return (
    <div class="st-gallery" role="dialog" aria-modal="true" aria-label="Examples" onKeyDown={({ key }) => key === "Escape" && close()}>
      <div class="st-row">
        <h2>Examples</h2>
        <input ref={field} type="search" aria-label="Search examples" placeholder="Search: leg, straight line, cam …" onInput={({ currentTarget }) => (text.value = currentTarget.value)} />
        <button type="button" onClick={close}>Close</button>
      </div>
      <div class="st-needs" role="group" aria-label="What for">
        {["", ...needs].map((one) => (
          <button key={one} type="button" class="st-chip" aria-pressed={need.value === one} onClick={() => (need.value = one)}>{one || "all"}</button>
        ))}
      </div>
      <div class="st-cards">
        {found.map((card) => <CardButton key={card.name} card={card} />)}
        {!found.length && cards.value.length > 0 && <p>No example has these words.</p>}
      </div>
    </div>
  );
}

function CardButton({ card }: { card: Card }) {
  const take = () => {
    gallery.value = false;
    open({ type: "open", example: card.name });
  };
  const root = useRef<HTMLButtonElement>(null);
  const seen = useSignal(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => (seen.value = !!entry?.isIntersecting));
    observer.observe(root.current!);
    return () => observer.disconnect();
  }, []);
  const view = thumbnails.value[card.name];
  useEffect(() => {
    if (seen.value && !view) send({ type: "thumbnail", name: card.name });
  }, [seen.value, !view]);
  return (
    <button ref={root} type="button" class="st-card" title={card.words} onClick={take}>
      <span class="st-thumb">{view && <Thumb view={view} moves={seen.value} />}</span>
      <b>{card.title}</b>
      <small>{card.need}</small>
    </button>
  );
}

function Thumb({ view, moves }: { view: View; moves: boolean }) {
  const place = useSignal(0);
  const samples = view.samples!;
  const pose = useComputed(() => poseAt(samples, Math.round(place.value)));
  const shown = useMemo(() => shaded(view, dark.value), [view, dark.value]);
  const camera = useMemo(() => fitted(wholeBox(view, pose.peek()), SIZE, 10), [view]);
  useEffect(() => {
    if (!moves || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    let request = requestAnimationFrame(function tick(now) {
      place.value = ((now / 1000 / WHOLE) % 1) * (samples.n - 1);
      request = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(request);
  }, [moves]);
  return (
    <svg viewBox={`0 0 ${SIZE[0]} ${SIZE[1]}`} aria-hidden="true">
      <g class="sk-world" transform={worldTransform(camera, SIZE)}>
        <Shapes shapes={shown.shapes} pose={pose} name="sk-shapes" />
      </g>
    </svg>
  );
}

/** How to begin, in the middle of an empty drawing. */
export function Begin({ choose }: { choose: () => void }) {
  return (
    <div class="st-begin">
      <h2>Draw your mechanism here</h2>
      <ol>
        <li><b>Link</b>: drag from one end of a link to the other. End it on another link’s point, and they share a pin.</li>
        <li><b>Ground</b>: click the points that stand still.</li>
        <li><b>Driver</b>: click the joint that a motor turns. Then press ▶.</li>
      </ol>
      <p class="st-row">
        <button type="button" onClick={() => setTool("link")}>Draw a link</button>
        <button type="button" onClick={showGallery}>Take an example</button>
        <button type="button" onClick={choose}>Open a file</button>
      </p>
      <p class="st-quiet">A file of Linkage, PMKS+, MotionGen or Pyslvs can also be dropped here, and so can a photo to draw on.</p>
    </div>
  );
}
