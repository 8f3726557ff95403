/** Texts by plural category of Unicode CLDR; `other` applies where a category has none. The placeholder `{count}` selects the category. */
export type PluralForms = { readonly other: string } & {
  readonly [Category in Exclude<Intl.LDMLPluralRule, 'other'>]?: string;
};
/** A text with placeholders in braces, such as `{amount}`, or one text for each plural category. */
export type Template = string | PluralForms;

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
/** The placeholders of a template, derived from its text. */
export type Names<Wanted> = Wanted extends string
  ? NamesIn<Wanted>
  : NamesIn<Extract<Wanted[keyof Wanted], string>>;

/** A parsed text: literal strings at even indexes, names of placeholders at odd ones. */
export type Parsed = readonly string[];

const placeholder = /\{([a-z][a-z_]*)\}/;
export const countName = 'count';

/** Splits a text at its placeholders. Returns null when it contains a brace that does not belong to a placeholder. */
export function parse(text: string): Parsed | null {
  const parts = text.split(placeholder);
  return parts.some((part, at) => at % 2 === 0 && /[{}]/.test(part)) ? null : parts;
}

/** The names of the placeholders in a text, without repetitions. */
export function namesIn(parsed: Parsed): Set<string> {
  return new Set(parsed.filter((_, at) => at % 2 === 1));
}

/** The names of the placeholders in all forms of a template. */
export function namesOf(template: Template): Set<string> {
  const forms = typeof template === 'string' ? [template] : Object.values(template);
  return new Set(forms.flatMap((form) => [...namesIn(parse(form) ?? [])]));
}
