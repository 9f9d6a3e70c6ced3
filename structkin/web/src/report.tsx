// A report: one page about one mechanism.
import { type ComponentChild, Fragment } from "preact";
import { useMemo } from "preact/hooks";
import { ComparisonSection } from "./comparison_section";
import { InputsSection } from "./inputs_section";
import { LimitsSection } from "./limits_section";
import { MotionSection } from "./motion_section";
import { PlayerBar, playerOf } from "./player";
import { ForcesSection, PlotsSection, TransmissionSection } from "./plots_section";
import type { Report } from "./report_types";
import { ResultsSection } from "./results_section";
import { GroupsSection, StepsSection } from "./steps_section";
import { TablesSection } from "./tables_section";
import { WorksheetSection } from "./worksheet_section";
import { pretty } from "./words";

export function ReportPage({ view }: { view: Report }) {
  const player = useMemo(() => (view.plots && view.samples && view.samples.n > 1 ? playerOf(view.samples) : null), [view]);
  const { status, ok, problems, source, program, author, date } = view.summary;
  const sections: [id: string, name: string, section: ComponentChild][] = [
    ["results", "Results", view.results && <ResultsSection view={view} />],
    ["motion", player ? "Motion" : "Drawing", <MotionSection view={view} player={player} />],
    ["inputs", "Inputs", view.inputs && <InputsSection view={view} />],
    ["limits", "Limits", player && view.limits && <LimitsSection view={view} player={player} />],
    ["forces", "Forces", player && view.forces && <ForcesSection view={view} player={player} />],
    ["transmission", "Transmission", player && view.transmission && <TransmissionSection view={view} player={player} />],
    ["plots", "Plots", player && <PlotsSection view={view} player={player} />],
    ["tables", "Tables", player && <TablesSection view={view} />],
    ["steps", "Step by step", player && view.steps && <StepsSection view={view} player={player} />],
    ["groups", "Groups", player && view.steps && <GroupsSection view={view} />],
    ["worksheet", "Worksheet", view.worksheet?.html && <WorksheetSection html={view.worksheet.html} />],
    ["comparison", "Formulations", view.comparison && <ComparisonSection found={view.comparison} />],
  ];
  const shown = sections.filter(([, , section]) => section);
  return (
    <div class="sk sk-report">
      <header>
        <h1>{view.title || "Mechanism"}</h1>
        <p class="sk-origin">{[author, date, source, program].filter(Boolean).join(" · ")}</p>
        {status.length > 0 && <p class={ok ? "sk-status" : "sk-status sk-bad"}>{status.map((line) => <span key={line}>{pretty(line)}</span>)}</p>}
        {problems.map((problem) => <p key={problem} class={player ? "sk-status sk-note" : "sk-status sk-bad"}>{pretty(problem)}</p>)}
        <nav aria-label="Sections">
          {shown.map(([id, name]) => <a key={id} href={`#${id}`}>{name}</a>)}
        </nav>
      </header>
      <main>{shown.map(([id, , section]) => <Fragment key={id}>{section}</Fragment>)}</main>
      {player && (
        <div class="sk-dock">
          <PlayerBar player={player} view={view} />
        </div>
      )}
    </div>
  );
}
