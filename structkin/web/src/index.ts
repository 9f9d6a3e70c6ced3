// The one entry: a host gives a model and an element, as anywidget does; a page reaches `render` as `structkin.render`.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { h, render as mount } from "preact";
import { Mechanism } from "./mechanism";
import { ReportPage } from "./report";
import type { Report } from "./report_types";
import type { Host, View } from "./types";

/** Draw the model's "view" into the element, as its "host" shows it; return what removes it again. */
export function render({ model, el }: Host): () => void {
  const view = model.get("view") as View;
  mount(model.get("host") === "report" ? h(ReportPage, { view: view as Report }) : h(Mechanism, { view }), el);
  return () => mount(null, el);
}

export default { render };

Object.assign(globalThis, { structkin: { render } });
