// What the mechanism was made from, as it was written.
import type { Report } from "./report_types";

/** Tables of more rows are divided where a page or a column ends. */
export const LONG = 16;

export function InputsSection({ view }: { view: Report }) {
  const { length, angle, mass } = view.units;
  return (
    <section id="inputs" class="sk-card">
      <h2>Inputs</h2>
      <p class="sk-intro">
        As given, to six digits. Without a unit, lengths are in {length}, angles in {angle}, masses in {mass}, and everything else in SI units.
      </p>
      <div class="sk-inputs">
        {view.inputs!.map(({ title, rows }) => (
          <table key={title} class={rows.length > LONG ? "" : "sk-whole"}>
            <caption>{title}</caption>
            <tbody>
              {rows.map(([name, words]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{words}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </section>
  );
}
