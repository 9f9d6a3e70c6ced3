// Every link cut free in one pose, with its equations: made by Python (structkin/report/worksheet.py).
export function WorksheetSection({ html }: { html: string }) {
  return (
    <section id="worksheet" class="sk-card">
      <h2>Worksheet</h2>
      <div class="worksheet" dangerouslySetInnerHTML={{ __html: html }} />
    </section>
  );
}
