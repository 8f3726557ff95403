/** Case and accents folded away. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** A folded word without its ending: plurals and the commonest verb forms. */
export function stem(word: string): string {
  const one = singular(word);
  // A trade of its own, which has nothing to do with markets.
  if (one === 'marketing') return one;
  return one.length > 6 && one.endsWith('ing') ? one.slice(0, -3) : one;
}

/** A folded noun in the singular. */
export function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 2 && /[^sui]s$/.test(word)) return word.slice(0, -1);
  return word;
}
