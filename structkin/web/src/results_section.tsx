// The answer first: how far the drivers go and what they need, where points get, the largest forces.
import type { Report } from "./report_types";
import { pretty } from "./words";

export function ResultsSection({ view }: { view: Report }) {
  const { tables, facts } = view.results!;
  return (
    <section id="results" class="sk-card sk-results">
      <h2>Results</h2>
      {tables.map(({ heads, rows }) => (
        <div key={heads[0]} class="sk-scroll sk-whole" tabIndex={0} role="region" aria-label={`Results: ${heads[0]}`}>
          <table>
            <thead>
              <tr>{heads.map((head) => <th key={head} scope="col">{head}</th>)}</tr>
            </thead>
            <tbody>
              {rows.map(([name, ...cells]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {cells.map((cell, k) => <td key={k}>{pretty(cell)}</td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
      {facts.length > 0 && (
        <dl>
          {facts.map(([name, words]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{pretty(words)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
