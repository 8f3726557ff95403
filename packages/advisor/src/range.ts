import type { Band, Fill, Kind, Slot } from './slot.ts';

/** The slots of an operation that are of some kinds. */
export type Of = (...kinds: Kind[]) => Slot[];

/** A range that falls together with the bands of an enumeration is said by them, another by its ends. */
export function fill(
  kind: Of,
  range: { min: number | null; max: number | null },
  about: readonly string[],
  at: number,
): Fill[] {
  const least =
    range.min !== null && range.max === null
      ? slotFor(
          kind('least').filter(({ leaf }) => Number(leaf.schema.maximum ?? range.min) >= (range.min ?? 0)),
          about,
        )
      : null;
  if (least !== null) return [{ slot: least, value: range.min, at }];
  const exact = slotFor(kind('range'), about);
  const banded = slotFor(
    kind('bands').filter((slot) => !slot.isExclude),
    about,
  );
  const chosen = banded === null ? [] : within(banded.choice?.bands ?? [], range);
  if (banded !== null && chosen.length > 0 && (exact === null || fits(chosen, range)))
    return chosen.map(({ value }) => ({ slot: banded, value, at }));
  return exact === null ? [] : [{ slot: exact, value: bounds(range), at }];
}

function within(bands: readonly Band[], { min, max }: { min: number | null; max: number | null }): Band[] {
  const [low, high] = [min ?? 0, max ?? Number.POSITIVE_INFINITY];
  return bands.filter(
    (band) => band.min >= low - 1 && (band.max <= high + 1 || high === Number.POSITIVE_INFINITY),
  );
}

function fits(bands: readonly Band[], { min, max }: { min: number | null; max: number | null }): boolean {
  const [first, last] = [bands[0], bands.at(-1)];
  return (
    first !== undefined &&
    last !== undefined &&
    Math.abs(first.min - (min ?? 1)) <= 1 &&
    (max === null || Math.abs(last.max - max) <= 1)
  );
}

export function bounds({ min, max }: { min: number | null; max: number | null }): Record<string, number> {
  return { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) };
}

/** The slot whose own words say what a number is about. */
export function slotFor(slots: readonly Slot[], about: readonly string[]): Slot | null {
  for (const word of about) {
    const found =
      slots.find((slot) => slot.leaf.name.includes(word)) ??
      slots.find((slot) => slot.leaf.said.includes(word));
    if (found !== undefined) return found;
  }
  return null;
}
