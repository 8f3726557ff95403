/**
 * Letters that have no decomposition in Unicode, and the letters that people type instead. Both sides of a search are
 * folded with this table, so `Wroclaw` finds `Wrocław` and `Strasse` finds `Straße`.
 */
const replacements: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
  ŧ: 't',
  ĸ: 'k',
  ə: 'e',
  ǝ: 'e',
  ɛ: 'e',
  ɔ: 'o',
  ƀ: 'b',
  ɓ: 'b',
  ƈ: 'c',
  ȼ: 'c',
  ɖ: 'd',
  ɗ: 'd',
  ɇ: 'e',
  ƒ: 'f',
  ǥ: 'g',
  ɠ: 'g',
  ɨ: 'i',
  ɉ: 'j',
  ȷ: 'j',
  ƙ: 'k',
  ƚ: 'l',
  ɲ: 'n',
  ƥ: 'p',
  ɍ: 'r',
  ɽ: 'r',
  ƭ: 't',
  ⱦ: 't',
  ʉ: 'u',
  ʋ: 'v',
  ɏ: 'y',
  ƴ: 'y',
  ƶ: 'z',
  ȥ: 'z',
  // A sigma at the end of a Greek word.
  ς: 'σ',
  // The sharp sign of C♯.
  '♯': '#',
};
const replaced = new RegExp(`[${Object.keys(replacements).join('')}]`, 'gu');

/**
 * Normalizes text for comparison: lower case, no accents or control characters, plain letters for those that Unicode does
 * not decompose, single spaces. All folding happens here: the database compares folded texts byte by byte.
 */
export function fold(text: string): string {
  if (isPlain(text)) return text.toLowerCase().replace(/ {2,}/g, ' ').trim();
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(replaced, (letter) => replacements[letter] ?? letter)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
}

/** Returns true for printable ASCII, which most texts are. The fast path gives the same result for it. */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code > 126) return false;
  }
  return true;
}
