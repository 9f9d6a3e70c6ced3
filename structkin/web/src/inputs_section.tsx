// What the mechanism was made from, as it was written.
import type { Report } from "./report_types";

export function InputsSection({ view }: { view: Report }) {
  return (
    <section id="inputs" class="sk-card">
      <h2>Inputs</h2>
      <p class="sk-intro">As written in the file: numbers without a unit are in its units.</p>
      <div class="sk-columns sk-inputs">
        {view.inputs!.map(({ title, rows }) => (
          <table key={title}>
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
