// Signals whose values outlive the page: in the browser, or in the tab over a reload.
import { effect, signal } from "@preact/signals";

/** A value that a storage keeps; where it keeps nothing, that of this page. */
export function remembered<T>(name: string, usual: T, storage: () => Storage = () => localStorage) {
  const place = `structkin:${name}`;
  let first = usual;
  try {
    first = JSON.parse(storage().getItem(place) ?? "null") ?? usual;
  } catch {
    // what cannot be read is not a choice
  }
  const kept = signal<T>(first);
  effect(() => {
    const text = JSON.stringify(kept.value);
    try {
      storage().setItem(place, text);
    } catch {
      // if the storage is full or forbidden, nothing is kept
    }
  });
  return kept;
}
