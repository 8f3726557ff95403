import { fold, stem } from './words.ts';

/** The languages that goals are read in; English first. */
export const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'] as const;
export type Language = (typeof languages)[number];

/** Concepts by name, each with its word forms per language, separated by commas. One without English forms is a word of the dictionary: its name is its English. A `*` at the end of a form matches any ending. */
export type ConceptData = Readonly<Record<string, Readonly<Partial<Record<Language, string>>>>>;

type Form = { words: readonly string[]; isOpen: boolean; concept: string };
type Forms = { first: ReadonlyMap<string, readonly Form[]>; open: ReadonlyMap<string, readonly Form[]> };

/** Word forms of several languages, and the concepts they name. */
export type Concepts = {
  forms: Readonly<Record<Language, Forms>>;
  stops: Readonly<Record<Language, ReadonlySet<string>>>;
  /** The first English form of each concept. */
  english: ReadonlyMap<string, string>;
  /** English words of the dictionary, which are no concepts. */
  words: ReadonlySet<string>;
};

/** The shortest stem of a form with any ending, and the key by which such forms are found. */
const openCharsMin = 4;
/** Compounds are read apart from this length on. */
const compoundCharsMin = 9;
const partCharsMin = 4;

/** Reads concept tables; the first that names a form decides. Entries `stop_en`, `stop_de` and so on list words without meaning. */
export function open(...tables: readonly ConceptData[]): Concepts {
  const listed = each<Form[]>(() => []);
  const stops = each(() => new Set<string>());
  const english = new Map<string, string>();
  const plain = new Set<string>();
  for (const [name, forms] of tables.flatMap((table) => Object.entries(table)))
    if (forms.en === undefined && !name.startsWith('stop_')) plain.add(stem(name));
  for (const { name, language, text } of tables.flatMap(written)) {
    const words = tokens(text.replace('*', ''), language);
    if (words.length === 0) continue;
    if (name.startsWith('stop_')) {
      if (words.length === 1) stops[language].add(words[0] ?? '');
      continue;
    }
    if (language === 'en' && !english.has(name)) english.set(name, text.replace('*', ''));
    const isOpen = text.endsWith('*') && (words.at(-1)?.length ?? 0) >= openCharsMin;
    listed[language].push({ words, concept: name, isOpen });
  }
  const forms = Object.fromEntries(
    languages.map((language) => [language, byFirst(listed[language])]),
  ) as Record<Language, Forms>;
  return { forms, stops, english, words: plain };
}

function each<T>(of: () => T): Record<Language, T> {
  return Object.fromEntries(languages.map((language) => [language, of()])) as Record<Language, T>;
}

/** Every form of a table. */
function written(table: ConceptData): { name: string; language: Language; text: string }[] {
  return Object.entries(table).flatMap(([name, forms]) =>
    languages.flatMap((language) =>
      (forms[language]?.split(',') ?? []).map((text) => ({ name, language, text: text.trim() })),
    ),
  );
}

/** Sorts forms so that the longest is found first, by their first word or its beginning. */
function byFirst(forms: readonly Form[]): Forms {
  const isPrefix = ({ words, isOpen }: Form) => isOpen && words.length === 1;
  const sorted = [...forms].sort(
    (a, b) => b.words.length - a.words.length || (b.words[0]?.length ?? 0) - (a.words[0]?.length ?? 0),
  );
  const whole = sorted.filter((form) => !isPrefix(form));
  return {
    first: Map.groupBy(whole, ({ words }) => words[0] ?? ''),
    open: Map.groupBy(sorted.filter(isPrefix), ({ words }) => (words[0] ?? '').slice(0, openCharsMin)),
  };
}

/** Splits a text into folded words; English ones without their endings. */
export function tokens(text: string, language: Language): string[] {
  const words = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return language === 'en' ? words.map(stem) : words;
}

/** Returns the language whose words without meaning, and whose forms, occur most; English when none prevails. */
export function languageOf({ stops, forms, words: plain }: Concepts, words: readonly string[]): Language {
  let best: Language = 'en';
  let most = 0;
  for (const language of languages) {
    let count = 0;
    for (const word of words) {
      const own = language === 'en' ? stem(word) : word;
      if (stops[language].has(own)) count += 1;
      else if ((language === 'en' && plain.has(own)) || formAt(forms[language], [own], 0) !== null)
        count += word.length > 3 ? 0.6 : 0.3;
    }
    if (count > most * 1.15) [best, most] = [language, count];
  }
  return best;
}

/** The meaning of one word or phrase of a text. */
export type Sense = { at: number; count: number; concept: string | null; isStop: boolean };

/** Finds the concepts of folded words, the longest forms first. Words of another language than `language` are found when they are English. */
export function senses(concepts: Concepts, words: readonly string[], language: Language): Sense[] {
  const own = words.map((word) => (language === 'en' ? stem(word) : word));
  const english = language === 'en' ? own : words.map(stem);
  const found: Sense[] = [];
  for (let at = 0; at < words.length; ) {
    const form =
      formAt(concepts.forms[language], own, at) ??
      (concepts.stops[language].has(own[at] ?? '') ? null : formAt(concepts.forms.en, english, at));
    const whole = partsOf(concepts.forms[language], own[at] ?? '', form);
    if (form !== null && whole.length === 0) {
      found.push({ at, count: form.words.length, concept: form.concept, isStop: false });
      at += form.words.length;
      continue;
    }
    const isStop = concepts.stops[language].has(own[at] ?? '') || concepts.stops.en.has(english[at] ?? '');
    const parts = isStop ? [] : whole;
    if (parts.length === 0) found.push({ at, count: 1, concept: null, isStop });
    for (const concept of parts) found.push({ at, count: 1, concept, isStop: false });
    at += 1;
  }
  return found;
}

function formAt({ first, open }: Forms, words: readonly string[], at: number): Form | null {
  const word = words[at] ?? '';
  const exact = first.get(word)?.find((form) =>
    form.words.every((part, index) => {
      const here = words[at + index] ?? '';
      return form.isOpen && index === form.words.length - 1 ? here.startsWith(part) : here === part;
    }),
  );
  if (exact !== undefined) return exact;
  return open.get(word.slice(0, openCharsMin))?.find((form) => word.startsWith(form.words[0] ?? '')) ?? null;
}

/** The concepts of a compound that no form names, or whose first part alone does: `Wassertemperatur`. */
function partsOf(forms: Forms, word: string, form: Form | null): string[] {
  const isWhole =
    form !== null &&
    !(form.isOpen && form.words.length === 1 && word.length - (form.words[0] ?? '').length >= partCharsMin);
  return isWhole ? [] : compound(forms, word);
}

/** The concepts of the two parts of a compound, as German and Dutch write them: `Mitarbeiterzahl`. */
function compound(forms: Forms, word: string): string[] {
  if (word.length < compoundCharsMin) return [];
  for (let cut = word.length - partCharsMin; cut >= partCharsMin; cut--) {
    const head = formAt(forms, [word.slice(cut)], 0);
    if (head === null) continue;
    const front = word.slice(0, cut);
    const modifier = formAt(forms, [front], 0) ?? formAt(forms, [front.replace(/(?:s|n|en)$/, '')], 0);
    if (modifier !== null) return [modifier.concept, head.concept];
  }
  return [];
}
