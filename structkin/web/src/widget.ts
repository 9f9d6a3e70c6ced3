// The entry of notebooks: the mechanism alone, without the plots of the report. The default export is what anywidget asks for.
import "./style.css";
import { h, render as mount } from "preact";
import { Mechanism } from "./mechanism";
import type { Host, View } from "./types";

/** Draw the model's "view" into the element; return what removes it again. */
function render({ model, el }: Host): () => void {
  mount(h(Mechanism, { view: model.get("view") as View }), el);
  return () => mount(null, el);
}

export default { render };
