// Tables, and CSV files made from them.
import { LONG } from "./inputs_section";
import { leftOut } from "./plots_section";
import { placesOf, type Report, type Row } from "./report_types";
import type { Numbers } from "./types";
import { digitsOf, fileName, number } from "./words";

type Column = [head: string, unit: string, values: (string | number | null)[]];

export function TablesSection({ view }: { view: Report }) {
  const { ranges, forces } = view;
  const { units, x } = view.plots!;
  const where = `at ${x.name}`;
  return (
    <section id="tables" class="sk-card">
      <h2>Tables</h2>
      {ranges && ranges.points.length > 0 && (
        <Table
          title="Points: range and largest rates"
          heads={["point", "x from", "to", "y from", "to", "largest |v|", where, "largest |a|", where]}
          units={["", units.length, units.length, units.length, units.length, units.speed, x.unit, units.acceleration, x.unit]}
          rows={ranges.points}
        />
      )}
      {ranges && ranges.links.length > 0 && (
        <Table
          title="Links: range and largest rates"
          heads={["link", "angle from", "to", "largest ω", where, "largest α", where]}
          units={["", units.angle, units.angle, units.omega, x.unit, units.alpha, x.unit]}
          rows={ranges.links}
        />
      )}
      <p class="sk-intro">{leftOut("Ranges and CSV columns", ranges)}</p>
      {forces && forces.table.length > 0 && (
        <Table title="Largest forces and moments" heads={["", "largest", "unit", where, "mean"]} units={["", "", "", x.unit, ""]} rows={forces.table} />
      )}
      <p class="sk-downloads">
        <Download name={fileName(view.title, "mechanism-motion.csv")} columns={() => motionColumns(view)}>Motion as CSV</Download>
        {forces && forces.panels.length > 0 && (
          <Download name={fileName(view.title, "mechanism-forces.csv")} columns={() => forceColumns(view)}>Forces as CSV</Download>
        )}
        <span>All samples, six digits, units in the second line.</span>
      </p>
    </section>
  );
}

export function Table({ title, heads, units, rows }: { title: string; heads: string[]; units: string[]; rows: Row[] }) {
  // both ends of a range are as fine as it is wide
  const digits = (row: Row, k: number) => {
    const first = heads[k] === "to" ? k - 1 : k;
    return heads[first + 1] === "to" ? digitsOf(row.slice(first, first + 2) as Numbers, 1e-6) : 4;
  };
  return (
    <div class={rows.length > LONG ? "sk-scroll" : "sk-scroll sk-whole"} tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {heads.map((head, k) => (
              <th key={k} scope="col">{head}{units[k] && <span class="sk-unit"> [{units[k]}]</span>}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) => (
            <tr key={r}>
              {row.map((cell, k) =>
                k === 0 ? <th key={k} scope="row">{cell}</th> : <td key={k}>{typeof cell === "string" ? cell : number(cell, digits(row, k))}</td>,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Download({ name, columns, children }: { name: string; columns: () => Column[]; children: string }) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([csvOf(columns())], { type: "text/csv;charset=utf-8" }));
    const link = Object.assign(document.createElement("a"), { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  return <button type="button" onClick={save}>{children}</button>;
}

/** Return columns as the text of a CSV file: names, units, then a line for each sample. */
export function csvOf(columns: Column[]): string {
  const quoted = (cell: string | number | null) => {
    const text = cell === null ? "" : String(cell);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const count = Math.max(...columns.map(([, , values]) => values.length));
  const lines = [columns.map(([head]) => head), columns.map(([, unit]) => unit)];
  const rows = Array.from({ length: count }, (_, k) => columns.map(([, , values]) => values[k] ?? null));
  return [...lines, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}

/** Return time and drivers, the first columns of every table. */
function first(view: Report): Column[] {
  const samples = view.samples!;
  const time: Column[] = samples.t ? [["t", "s", samples.t]] : [];
  return [...time, ...view.drivers.map((driver): Column => [`${driver.id}.value`, driver.unit, samples.drivers[driver.id] ?? []])];
}

function motionColumns(view: Report): Column[] {
  const samples = view.samples!;
  const { units, angles } = view.plots!;
  const points = view.points.flatMap(({ name }): Column[] => {
    const [x, y] = placesOf(view, name);
    const rates = view.rates?.points[name];
    const more: [string, string, Numbers][] = rates
      ? [["vx", units.speed, rates.vx], ["vy", units.speed, rates.vy], ["ax", units.acceleration, rates.ax], ["ay", units.acceleration, rates.ay]]
      : [];
    return [
      [`${name}.x`, units.length, x],
      [`${name}.y`, units.length, y],
      ...more.map(([head, unit, values]): Column => [`${name}.${head}`, unit, values]),
    ];
  });
  const links = Object.entries(angles).flatMap(([name, angle]): Column[] => {
    const rates = view.rates?.links[name];
    const more: Column[] = rates ? [[`${name}.omega`, units.omega, rates.omega], [`${name}.alpha`, units.alpha, rates.alpha]] : [];
    return [[`${name}.angle`, units.angle, angle], ...more];
  });
  const words = Array.from({ length: samples.n }, (_, k) => samples.status.find(([a, b]) => a <= k && k <= b)?.[2] ?? "");
  return [...first(view), ...points, ...links, ["status", "", words]];
}

function forceColumns(view: Report): Column[] {
  const panels = view.forces!.panels.flatMap(({ title, unit, curves }) => curves.map(({ name, values }): Column => [`${title}: ${name}`, unit, values]));
  const arrows = view.forces!.arrows.flatMap(({ joint, link, fx, fy }): Column[] => [[`${joint} on ${link}.Fx`, "N", fx], [`${joint} on ${link}.Fy`, "N", fy]]);
  return [...first(view), ...panels, ...arrows];
}
