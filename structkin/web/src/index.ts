// The entry of pages: one gives a model and an element to `structkin.render`.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { h, render as mount } from "preact";
import { ReportPage } from "./report";
import type { Report } from "./report_types";
import type { Host } from "./types";
import widget from "./widget";

/** Draw the model's "view" into the element, as its "host" shows it; return what removes it again. */
function render({ model, el }: Host): () => void {
  if (model.get("host") !== "report") return widget.render({ model, el });
  mount(h(ReportPage, { view: model.get("view") as Report }), el);
  return () => mount(null, el);
}

Object.assign(globalThis, { structkin: { render } });
