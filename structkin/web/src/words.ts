// Numbers and units as text.
import type { Samples, View } from "./types";

/** Return a number to this many significant digits, with a minus sign instead of a hyphen; "–" for none. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value == null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text =
    value === 0 ? "0" : size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
  return text.replace(/-/g, "−").replace("e+", "e");
}

/** Return a unit as it is printed after a number. */
export function unitWords(unit: string | undefined): string {
  return unit === "deg" ? "°" : unit ? ` ${unit}` : "";
}

/** Return "motor = 30°" for each driver at a sample. */
export function driverWords(view: View, samples: Samples, k: number): string[] {
  return view.drivers.map((driver) => {
    const value = samples.drivers[driver.id]?.[k];
    return `${driver.name} = ${fixed(value)}${unitWords(driver.unit)}`;
  });
}

/** Return a number with about four digits and a width that changes little. */
export function fixed(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return number(value, 4);
  return value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4).replace("-", "−");
}

/** Return a sentence of the solver with degree and minus signs. */
export function pretty(text: string): string {
  return text.replace(/(\d) deg\b/g, "$1°").replace(/(^|[\s(])-(?=\d)/g, "$1−");
}

/** Names that Windows keeps for devices. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** Return the name of a file about a mechanism: its title in place of the stem, with letters, digits and hyphens only. */
export function fileName(title: string | undefined, name: string): string {
  const plain = (title ?? "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80).replace(/^-|-$/g, "");
  const stem = !plain || DEVICES.test(plain) ? `mechanism${plain && `-${plain}`}` : plain;
  return stem + name.slice(name.search(/[-.]/));
}
