// The formulations of dynamics side by side: what they cost, and how they agree.
import type { Report } from "./report_types";
import { Table } from "./tables_section";

export function ComparisonSection({ found }: { found: NonNullable<Report["comparison"]> }) {
  return (
    <section id="comparison" class="sk-card">
      <h2>Formulations of dynamics</h2>
      <Table title={found.title} heads={found.heads} units={[]} rows={found.rows} />
      <img class="sk-picture" src={found.picture} alt="Time, differences and closure of each formulation; the table has the numbers." />
      <ul class="sk-facts">
        {found.notes.map((note) => <li key={note}>{note}</li>)}
      </ul>
    </section>
  );
}
