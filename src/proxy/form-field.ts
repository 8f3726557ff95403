/** A field of a form or query: its number, or the reason why parsers may disagree about it. */
export type Field = number | 'unnamed' | 'unclear';

/** Forms longer than this are not parsed, because parsing them would delay every other caller. */
const formBytesMax = 64 * 1024;
/** Some servers decode percent-encoding more than once. */
const decodingsMax = 3;

/**
 * Reads the number of the field called `token` in a form or a query (`a=1&b=2`).
 * The result is `unclear` when another parser may read the field differently: the field occurs twice, a framework folds another
 * name into `token` (PHP turns `max.results`, `max results` and `max[results` into `max_results`), the name occurs elsewhere in
 * the text, or the text is not a form.
 */
export function ofForm(form: string, token: string): Field {
  if (form.length > formBytesMax || !looksLikeForm(form)) return 'unclear';
  const mention = fold(token);
  let found: Field = 'unnamed';
  for (const [name, value] of new URLSearchParams(form)) {
    if (name === token && found === 'unnamed' && /^\d{1,9}$/.test(value)) found = Number(value);
    else if (fold(name).includes(mention) || fold(value).includes(mention)) return 'unclear';
  }
  return found;
}

/** Some servers parse JSON sent with a form's content type (`curl -d` does that). A form never contains these characters unescaped. */
function looksLikeForm(text: string): boolean {
  return !/^[\s\ufeff]*[{[]|\\/.test(text);
}

/** Reduces a name to its letters and digits, as the most lenient parser would compare them. */
function fold(name: string): string {
  let plain = name;
  for (let times = 0; times < decodingsMax && plain.includes('%'); times++) plain = decoded(plain);
  const folded = plain
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return folded === '' ? plain : folded;
}

function decoded(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (octet) => String.fromCharCode(Number.parseInt(octet.slice(1), 16)));
}

/** Returns the source of a regular expression that matches exactly `plain`. */
export function literally(plain: string): string {
  return plain.replace(/\W/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
