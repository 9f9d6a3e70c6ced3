// Numbers and units as text.
import type { Numbers, Samples, View } from "./types";

/** Return a number to this many significant digits, with a minus sign instead of a hyphen; "–" for none. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value == null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text =
    value === 0 ? "0" : size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
  return text.replace(/-/g, "−").replace("e+", "e");
}

/** Return how many digits show values: four, or up to three more where their range is a small part of them, down to the least. */
export function digitsOf(values: Numbers, least: number): number {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const part = (high - low) / Math.max(-low, high);
  return part > least && part < 1 ? Math.min(7, Math.floor(4 - Math.log10(part))) : 4;
}

/** Return a unit as it is printed after a number. */
export function unitWords(unit: string | undefined): string {
  return unit === "deg" ? "°" : unit ? ` ${unit}` : "";
}

/** Return "motor = 30°" for each driver at a sample. */
export function driverWords(view: View, samples: Samples, k: number): string[] {
  return view.drivers.map((driver) => {
    const value = samples.drivers[driver.id]?.[k];
    return `${driver.name} = ${fixed(value, 4)}${unitWords(driver.unit)}`;
  });
}

/** Return a number with so many significant digits, zeros among them, so that its width changes little. */
export function fixed(value: number | null | undefined, digits: number): string {
  if (value == null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (value === 0 || size >= 1e6 || size < 1e-4) return number(value, digits);
  return (size < 10 ** digits ? value.toPrecision(digits) : value.toFixed(0)).replace("-", "−");
}

/** Return the texts of an axis's ticks, with as many digits as their distance needs. */
export function ticks(values: number[], step: number): string[] {
  const largest = Math.max(...values.map(Math.abs));
  const powers = largest >= 1e6 || largest < 1e-3;
  const whole = (decimals: number) => Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) < 1e-6;
  let decimals = Math.ceil(-Math.log10(step) - 1e-9);
  while (!whole(decimals)) decimals += 1;
  const text = (value: number) => {
    if (Math.abs(value) < 1e-6 * step) return "0";
    if (!powers) return value.toFixed(Math.max(decimals, 0));
    return value.toExponential(Math.max(Math.floor(Math.log10(Math.abs(value)) + 1e-9) + decimals, 0));
  };
  return values.map((value) => text(value).replace(/-/g, "−").replace("e+", "e"));
}

/** A blank between a number and its unit, or inside a unit or "t = 2": no line ends there. */
const KEPT = / (?=(?:[kM]?N|[kM]?[WJ]|[mcdkuµ]?m|in|ft|m?s|rad|rpm|k?g)(?![\p{L}\p{N}]))(?<=[\d∞] |N )| (?==)|(?<==) /gu;

/** Return a sentence of the solver with degree and minus signs, its numbers and units together. */
export function pretty(text: string): string {
  return text.replace(/(\d) deg\b/g, "$1°").replace(/(^|[\s(])-(?=\d)/g, "$1−").replace(KEPT, "\u00a0");
}

/** Names that Windows keeps for devices. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** Return the name of a file about a mechanism: its title in place of the stem, with letters, digits and hyphens only. */
export function fileName(title: string | undefined, name: string): string {
  const plain = (title ?? "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80).replace(/^-|-$/g, "");
  const stem = !plain || DEVICES.test(plain) ? `mechanism${plain && `-${plain}`}` : plain;
  return stem + name.slice(name.search(/[-.]/));
}

/** Return a force or moment with its unit, in thousands if it is large. */
export const inThousands = (value: number, unit: string): string =>
  Math.abs(value) >= 1e3 ? `${number(value / 1e3, 3)} k${unit}` : `${number(value, 3)} ${unit}`;
