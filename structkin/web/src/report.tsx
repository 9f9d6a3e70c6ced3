// A report: one page about one mechanism.
import { useMemo } from "preact/hooks";
import { ComparisonSection } from "./comparison_section";
import { InputsSection } from "./inputs_section";
import { LimitsSection } from "./limits_section";
import { MotionSection } from "./motion_section";
import { PlayerBar, playerOf } from "./player";
import { ForcesSection, PlotsSection, TransmissionSection } from "./plots_section";
import type { Report } from "./report_types";
import { GroupsSection, StepsSection } from "./steps_section";
import { TablesSection } from "./tables_section";
import { pretty } from "./words";

export function ReportPage({ view }: { view: Report }) {
  const player = useMemo(() => (view.plots && view.samples && view.samples.n > 1 ? playerOf(view.samples) : null), [view]);
  const { facts, status, ok, problems, source, program } = view.summary;
  const sections: [id: string, name: string, there: unknown][] = [
    ["motion", player ? "Motion" : "Drawing", true],
    ["inputs", "Inputs", player && view.inputs],
    ["steps", "Step by step", player && view.steps],
    ["groups", "Groups", player && view.steps],
    ["plots", "Plots", player],
    ["limits", "Limits", player && view.limits],
    ["transmission", "Transmission", player && view.transmission],
    ["forces", "Forces", player && view.forces],
    ["comparison", "Formulations", view.comparison],
    ["tables", "Tables", player],
  ];
  return (
    <div class="sk sk-report">
      <header>
        <h1>{view.title || "Mechanism"}</h1>
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {status.length > 0 && <p class={ok ? "sk-status" : "sk-status sk-bad"}>{status.map((line) => <span key={line}>{pretty(line)}</span>)}</p>}
        {problems.map((problem) => <p key={problem} class={player ? "sk-status sk-note" : "sk-status sk-bad"}>{problem}</p>)}
        <nav aria-label="Sections">
          {sections.filter(([, , there]) => there).map(([id, name]) => <a key={id} href={`#${id}`}>{name}</a>)}
        </nav>
      </header>
      <main>
        <MotionSection view={view} player={player} />
        {player && view.inputs && <InputsSection view={view} />}
        {player && view.steps && <StepsSection view={view} player={player} />}
        {player && view.steps && <GroupsSection view={view} />}
        {player && <PlotsSection view={view} player={player} />}
        {player && view.limits && <LimitsSection view={view} player={player} />}
        {player && view.transmission && <TransmissionSection view={view} player={player} />}
        {player && view.forces && <ForcesSection view={view} player={player} />}
        {view.comparison && <ComparisonSection found={view.comparison} />}
        {player && <TablesSection view={view} />}
      </main>
      <footer>
        {source && <>{source} · </>}made by {program}
      </footer>
      {player && (
        <div class="sk-dock">
          <PlayerBar player={player} view={view} />
        </div>
      )}
    </div>
  );
}
