import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The rules for prose that a program can check: comments, documents and the gateway's own strings. */

export type Finding = { path: string; line: number; text: string; rule: 'headless clause' | 'word to avoid' };

const headless = /(?:^|[.:;] )(?:What|Who|Whoever|Whom|Whose|Whether|Whatever|Where|How|That)\b[^?]*$/;
const avoided =
  /\b(?:mend(?:s|ed|ing)?|nobody|whoever|anew|tells?|telling|told|stands?|stood|bears?|it is said|(?:give|gives|given|giving|gave) back|(?:go|goes|going|went|gone) on|(?:be|is|are|was|were) away|for good)\b(?!-)/i;
const pronoun = /\b(?:he|him|his)\b/i;

const comment = /^\s*(?:\/\*\*?|\*\/?|\/\/|--|#)\s?(.*?)(?:\*\/)?\s*$/;
const trailing = /\s(?:\/\/|\/\*\*?)\s(.+?)(?:\s*\*\/)?$/;
const literal = /'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\\n]|\\.)+)`/g;

/** Returns the comment of a line of source, without its marker, or null. */
function commentOf(line: string, isMarkdown: boolean): string | null {
  if (isMarkdown) return line.replace(/^\s*(?:[-*>#|]+|\d+\.)?\s*/, '').replace(/`[^`]*`/g, '');
  return comment.exec(line)?.[1] ?? trailing.exec(line)?.[1] ?? null;
}

/** Returns every breach of the prose rules in one file. Code blocks in Markdown and names in backquotes are skipped. */
export function findings(path: string, text: string): Finding[] {
  const found: Finding[] = [];
  const isMarkdown = path.endsWith('.md');
  // Vocabulary that is data, the words of a goal and of the sample, is not prose.
  const isSource = /^(?:packages\/[^/]+\/)?src\/(?!data\/|lexicon\.ts).*\.ts$/.test(path);
  let isCode = false;
  let isTemplate = false;
  text.split('\n').forEach((line, at) => {
    if (isMarkdown && /^\s*```/.test(line)) isCode = !isCode;
    if (isCode) return;
    const add = (rule: Finding['rule']) => found.push({ path, line: at + 1, text: line.trim(), rule });
    const said = commentOf(line, isMarkdown);
    // A line that continues a comment can start with the rest of a sentence, but then it starts in lower case.
    if (said && headless.test(said)) add('headless clause');
    const plain = said?.replace(/`[^`]*`/g, '') ?? '';
    if (avoided.test(plain) || pronoun.test(plain)) add('word to avoid');
    else if (isTemplate && avoided.test(line)) add('word to avoid');
    else if (isSource && said === null)
      for (const [, ...parts] of line.matchAll(literal)) {
        const string = parts.find((part) => part !== undefined) ?? '';
        if (string.includes(' ') && avoided.test(string)) add('word to avoid');
      }
    // A template literal that spans lines, such as a help text.
    if (isSource && (isTemplate || said === null) && (line.match(/(?<!\\)`/g)?.length ?? 0) % 2 === 1)
      isTemplate = !isTemplate;
  });
  return found;
}

export const checkedFiles = [
  '{src,test,bench,migrations,packages,sdk}/**/*.{ts,sql,py}',
  '*.md',
  '.github/**/*.md',
  '{docs,packages,sdk,test,examples}/**/*.md',
];

/** Returns the breaches in all checked files below `folder`, a path relative to the repository's root. */
export function allFindings(folder = ''): Finding[] {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const exclude = (path: string) => /(?:^|\/)(?:node_modules|dist|fixtures|vectors|meta)(?:\/|$)/.test(path);
  return checkedFiles
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude }))
    .filter((path) => path.startsWith(folder) && !exclude(path))
    .sort()
    .flatMap((path) => findings(path, readFileSync(root + path, 'utf8')));
}

if (import.meta.main) {
  const found = allFindings(process.argv[2]);
  for (const { path, line, rule, text } of found) process.stdout.write(`${path}:${line}: ${rule}: ${text}\n`);
  process.stdout.write(`${found.length} findings\n`);
}
