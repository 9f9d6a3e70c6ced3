// Input fields that set their value on Enter or when they lose the focus.
export function Field({ label, value, onSet }: { label: string; value: string; onSet: (value: string) => void }) {
  return (
    <label class="st-field">
      <span>{label}</span>
      <input
        key={value}
        defaultValue={value}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        onBlur={({ currentTarget }) => currentTarget.value !== value && onSet(currentTarget.value)}
      />
    </label>
  );
}

export function NumberField({ label, value, unit, onSet }: { label: string; value: number; unit: string; onSet: (value: number) => void }) {
  const text = String(Number(value.toPrecision(6)));
  const take = (given: string) => {
    const found = Number(given.replace("−", "-").replace(",", "."));
    if (given.trim() && Number.isFinite(found) && given !== text) onSet(found);
  };
  return (
    <label class="st-field">
      <span>{label}</span>
      <input
        key={text}
        inputMode="decimal"
        defaultValue={text}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        onBlur={({ currentTarget }) => take(currentTarget.value)}
      />
      <span class="st-unit">{unit}</span>
    </label>
  );
}
