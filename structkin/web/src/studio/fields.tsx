// Input fields that set their value on Enter or when they lose the focus; what cannot be accepted is replaced by the old value.
import { refusals, tell } from "./store";

export function Field({ label, value, onSet }: { label: string; value: string; onSet: (value: string) => void }) {
  return (
    <label class="st-field">
      <span>{label}</span>
      <input
        key={`${refusals.value} ${value}`}
        defaultValue={value}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        onBlur={({ currentTarget }) => currentTarget.value !== value && onSet(currentTarget.value)}
      />
    </label>
  );
}

/** Units with their size in SI. */
const LENGTHS = { m: 1, mm: 1e-3, cm: 1e-2, dm: 0.1, km: 1e3, um: 1e-6, "µm": 1e-6, in: 0.0254, ft: 0.3048 };

/** What a number is: its units, and what is said if it is not one. */
export const QUANTITIES = {
  length: { units: LENGTHS, words: "a length must be a positive number" },
  coordinate: { units: LENGTHS, words: "a coordinate must be a number" },
  angle: { units: { rad: 1, deg: Math.PI / 180, "°": Math.PI / 180, mrad: 1e-3, rev: 2 * Math.PI }, words: "an angle must be a number" },
  mass: { units: { kg: 1, g: 1e-3, t: 1e3, lb: 0.45359237 }, words: "a mass must be a number" },
  plain: { units: {}, words: "must be a number" },
} satisfies Record<string, { units: Record<string, number>; words: string }>;

export type Quantity = keyof typeof QUANTITIES;

/** Return a number in a unit from text such as "1,5" or "1.5 cm"; null if it is not a number of that quantity. */
export function read(text: string, quantity: Quantity, unit: string): number | null {
  const [, digits, given] = text.trim().replace("−", "-").match(/^([-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[-+]?\d+)?)\s*(\D*)$/i) ?? [];
  if (digits === undefined) return null;
  const sizes: Record<string, number> = QUANTITIES[quantity].units;
  const factor = !given || given === unit ? 1 : (sizes[given] ?? NaN) / (sizes[unit] ?? NaN);
  const value = Number((Number(digits.replace(",", ".")) * factor).toPrecision(15));
  return Number.isFinite(value) && (quantity !== "length" || value > 0) ? value : null;
}

interface NumberProps {
  label: string;
  /** Undefined where none is given: the field is then empty. */
  value: number | undefined;
  unit: string;
  quantity: Quantity;
  onSet: (value: number) => void;
  /** What an emptied field does; without it, the old value comes back. */
  onClear?: () => void;
}

export function NumberField({ label, value, unit, quantity, onSet, onClear }: NumberProps) {
  const text = value === undefined ? "" : String(typeof value === "number" ? Number(value.toPrecision(6)) : value);
  const take = (input: HTMLInputElement) => {
    if (input.value === text) return;
    if (onClear && !input.value.trim()) return onClear();
    const found = read(input.value, quantity, unit);
    input.value = text;
    if (found === null) tell(`${label}: ${QUANTITIES[quantity].words}`, true);
    else if (found !== value) onSet(found);
  };
  return (
    <label class="st-field">
      <span>{label}</span>
      <input
        key={`${refusals.value} ${text}`}
        inputMode="decimal"
        defaultValue={text}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        onBlur={({ currentTarget }) => take(currentTarget)}
      />
      <span class="st-unit">{unit}</span>
    </label>
  );
}
