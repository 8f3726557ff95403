/** The parts of a goal that are read on their own; a long text says what it wants before. */
const partCountMax = 8;
/** Words and marks between the parts of a goal. */
const between =
  /[.,;:!?\n]+\s|\s(?:and|then|und|dann|y|luego|después|e|poi|depois|et|puis|en|daarna|dan)\s|→|->/giu;

/** Returns the parts of a goal that say something on their own; none when it is one. */
export function split(text: string): string[] {
  const parts = text.split(between).filter((part) => part.trim().split(/\s+/).length > 1);
  return parts.length < 2 ? [] : parts.slice(0, partCountMax);
}
