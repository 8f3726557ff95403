import * as Concepts from './concepts.ts';
import * as Literal from './literal.ts';
import { fold } from './words.ts';

/** A goal with its words in English where their meaning is known. */
export type Translation = {
  text: string;
  language: Concepts.Language;
  /** Returns the words of the original from which a part of `text` was translated. */
  original(from: number, to: number): string;
};

/** Reads a goal in another language word by word: it is not correct English, but its numbers, places and concepts are where they were. */
export function toEnglish(text: string, concepts: Concepts.Concepts): Translation {
  const literals = Literal.find(text);
  const words = [...text.matchAll(/[\p{L}\p{N}]+(?:[.&][\p{L}\p{N}]+)*/gu)]
    .map((match) => ({ raw: match[0], from: match.index, to: match.index + match[0].length }))
    .filter(({ from, to }) => literals.every((literal) => to <= literal.from || from >= literal.to));
  const folded = words.map(({ raw }) => fold(raw));
  const language = Concepts.languageOf(concepts, folded);
  if (language === 'en') return { text, language, original: (from, to) => text.slice(from, to) };
  let out = '';
  let done = 0;
  const spans: { from: number; to: number; source: string }[] = [];
  for (const group of Map.groupBy(Concepts.senses(concepts, folded, language), ({ at }) => at).values()) {
    const [first] = group;
    const start = first && words[first.at];
    const end = first && words[first.at + first.count - 1];
    if (start === undefined || end === undefined) continue;
    const source = text.slice(start.from, end.to);
    const named = group.flatMap(({ concept }) =>
      concept === null ? [] : [concepts.english.get(concept) ?? concept],
    );
    // An elided article is a word of its own: "l'airport" is one word in English.
    out += text.slice(done, start.from).replace(/^['’]$/, ' ');
    spans.push({ from: out.length, to: 0, source });
    out += named.length === 0 ? source : named.join(' ');
    const span = spans.at(-1);
    if (span !== undefined) span.to = out.length;
    done = end.to;
  }
  out += text.slice(done);
  const original = (from: number, to: number) => {
    const own = spans.filter((span) => span.to > from && span.from < to).map(({ source }) => source);
    return own.length === 0 ? out.slice(from, to) : own.join(' ');
  };
  return { text: out, language, original };
}
