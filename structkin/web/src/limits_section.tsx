// How far the drivers go: a dial for an angle, a bar for a length, with a mark at the pose that is shown.
import type { Player } from "./player";
import type { DriverLimits, End, Report } from "./report_types";
import { number, pretty, unitWords } from "./words";

const R = 62;
const CX = 130;
const CY = 92;

export function LimitsSection({ view, player }: { view: Report; player: Player }) {
  const several = view.limits!.length > 1;
  return (
    <section id="limits" class="sk-card">
      <h2>Limits</h2>
      {several && <p class="sk-intro">Each driver is moved by itself; the others are held as in the sketch.</p>}
      <div class="sk-grid sk-limits">
        {view.limits!.map((limits) => <DriverCard key={limits.driver} limits={limits} value={view.samples!.drivers[limits.driver]?.[player.index.value] ?? null} />)}
      </div>
    </section>
  );
}

function DriverCard({ limits, value }: { limits: DriverLimits; value: number | null }) {
  if (limits.failure)
    return (
      <div>
        <h3>{limits.driver}</h3>
        <p>{limits.failure}</p>
      </div>
    );
  return (
    <div>
      <h3>{pretty(limits.words)}</h3>
      {limits.angle ? <Dial limits={limits} value={value} /> : <Bar limits={limits} value={value} />}
      <ul class="sk-facts">
        {limits.reasons.map((reason) => <li key={reason}>{pretty(reason)}</li>)}
        {limits.intervals.length > 1 && <li>pale: other intervals in which the groups close in the same modes</li>}
      </ul>
    </div>
  );
}

/** The ends of all intervals, each once. */
function ends({ intervals, passed, turn, angle }: DriverLimits): End[] {
  const all = [...intervals.flatMap(({ low, high }) => [low, high]), ...passed].filter((end) => end !== null);
  const key = (end: End) => (angle ? (((end.value % turn) + turn) % turn).toFixed(4) : String(end.value));
  return [...new Map(all.map((end) => [key(end), end])).values()];
}

function Dial({ limits, value }: { limits: DriverLimits; value: number | null }) {
  const { turn, intervals, start } = limits;
  const angle = (v: number) => (2 * Math.PI * v) / turn;
  const on = (v: number, r: number): [number, number] => [CX + r * Math.cos(angle(v)), CY - r * Math.sin(angle(v))];
  const arc = (a: number, b: number) => {
    // an angle of more than a turn winds outwards
    const rise = b - a > turn * (1 + 1e-9) ? 10 : 0;
    const steps = Math.max(2, Math.ceil((Math.abs(b - a) / turn) * 72));
    return "M" + Array.from({ length: steps + 1 }, (_, k) => on(a + ((b - a) * k) / steps, R + rise * (k / steps - 0.5)).map((c) => c.toFixed(2)).join(" ")).join("L");
  };
  const holds = (low: End | null, high: End | null) => !low || !high || (low.value - 1e-6 <= start && start <= high.value + 1e-6);
  const needle = value === null ? null : on(value, R - 14);
  const names = { fit: spreadAngles(ends(limits).map((end) => angle(end.value))) };
  return (
    <svg class="sk-dial" viewBox="0 0 260 184" role="img" aria-label={limits.words}>
      <circle class="sk-track" cx={CX} cy={CY} r={R} />
      {intervals.map(({ low, high }, k) => (
        <path key={k} class={`sk-reach ${holds(low, high) ? "" : "sk-other"} ${low && high && high.value - low.value > turn ? "sk-wound" : ""}`} d={low && high ? arc(low.value, high.value) : `${arc(0, turn)}Z`} />
      ))}
      {ends(limits).map((end, k) => {
        const [[x0, y0], [x1, y1]] = [on(end.value, R - 9), on(end.value, R + 9)];
        const turnedTo = names.fit[k]!;
        const [tx, ty] = [CX + (R + 15) * Math.cos(turnedTo), CY - (R + 18) * Math.sin(turnedTo)];
        const side = Math.cos(turnedTo) > 0.3 ? "start" : Math.cos(turnedTo) < -0.3 ? "end" : "middle";
        return (
          <g key={k} class="sk-end">
            <path d={`M${x0} ${y0}L${x1} ${y1}`} />
            <text x={tx} y={ty} text-anchor={side} dominant-baseline="central">{number(end.value, limits.digits)}{unitWords(limits.unit)}</text>
          </g>
        );
      })}
      <circle class="sk-sketch" cx={on(start, R)[0]} cy={on(start, R)[1]} r={5} />
      {needle && <path class="sk-needle" d={`M${CX} ${CY}L${needle[0]} ${needle[1]}`} />}
      <circle class="sk-hub" cx={CX} cy={CY} r={3.5} />
      {intervals.some((item) => item.turns > 1) && <text x={CX} y={CY + 24} text-anchor="middle">{intervals[0]!.turns} turns</text>}
    </svg>
  );
}

/** Return directions near those given that are at least so far apart that names do not cover each other. */
function spreadAngles(turns: number[]): number[] {
  const found = turns.map((turn) => Math.atan2(Math.sin(turn), Math.cos(turn)));
  const order = found.map((_, k) => k).sort((a, b) => found[a]! - found[b]!);
  for (let round = 0; round < 4; round++)
    for (let k = 1; k < order.length; k++) {
      const [a, b] = [order[k - 1]!, order[k]!];
      const gap = 0.26 - (found[b]! - found[a]!);
      if (gap > 0) [found[a], found[b]] = [found[a]! - gap / 2, found[b]! + gap / 2];
    }
  return found;
}

function Bar({ limits, value }: { limits: DriverLimits; value: number | null }) {
  const values = [...ends(limits).map((end) => end.value), limits.start, ...(value === null ? [] : [value])];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (v: number) => 30 + (200 * (v - low)) / (high - low || 1);
  const marks = ends(limits).sort((a, b) => a.value - b.value);
  return (
    <svg class="sk-dial" viewBox="0 0 260 96" role="img" aria-label={limits.words}>
      <path class="sk-track" d="M30 46H230" />
      {limits.intervals.map(({ low: a, high: b }, k) => {
        const [from, to] = [a?.value ?? low, b?.value ?? high];
        const own = from - 1e-6 <= limits.start && limits.start <= to + 1e-6;
        return <path key={k} class={own ? "sk-reach" : "sk-reach sk-other"} d={`M${x(from)} 46H${x(to)}`} />;
      })}
      {marks.map((end, k) => (
        <g key={k} class="sk-end">
          <path d={`M${x(end.value)} 36V56`} />
          <text x={x(end.value)} y={k % 2 ? 26 : 70} text-anchor="middle">{number(end.value, limits.digits)}{unitWords(limits.unit)}</text>
        </g>
      ))}
      <circle class="sk-sketch" cx={x(limits.start)} cy={46} r={5} />
      {value !== null && <path class="sk-needle" d={`M${x(value)} 34V58`} />}
    </svg>
  );
}
