import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearest } from '../kernel/nearest.ts';

/**
 * A command of `sluice`: what it teaches, and what it does with its arguments. Resolves to the exit code: 0 done, 1 something is wrong or
 * was refused, 3 nobody knows yet. What it throws ends with 2: it was not understood, or could not be done at all.
 */
export type Command = {
  help: string;
  /** More of the one or other of its verbs. */
  helpOf?: Readonly<Record<string, string>>;
  run(args: string[]): Promise<number>;
};

/** What was asked for is nothing that there is. */
export class Misuse extends Error {}

/** Reads options and what stands beside them. Throws Misuse on an unknown option, naming the nearest, and on a value too few or too many. */
export function read<const O extends ParseArgsOptionsConfig>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new Misuse(message.replace(/^Option/, 'The option'));
    const [, name = ''] = /'(-[^'= ]*)/.exec(message) ?? [];
    const names = Object.keys(options).map((known) => `--${known}`);
    throw new Misuse(`There is no option ${name}${meant(name, names)}`);
  }
}

/** The one of `verbs` that was asked for. Throws Misuse on any other, naming the nearest. */
export function choose<const V extends string>(given: string | undefined, verbs: readonly V[]): V {
  const found = verbs.find((verb) => verb === given);
  if (found !== undefined) return found;
  throw new Misuse(
    given === undefined
      ? `What is it to do? One of: ${verbs.join(', ')}`
      : `There is no "${given}"${meant(given, verbs)}`,
  );
}

/** `: did you mean --json?`, or all that there is. */
export function meant(given: string, known: readonly string[]): string {
  const near = nearest(given, known);
  return near === null ? `: there is ${known.join(', ')}` : `: did you mean ${near}?`;
}

/** Throws Misuse where more was said than is read. */
export function noMore(rest: readonly string[]): void {
  if (rest.length > 0) throw new Misuse(`"${rest.join(' ')}" is too much`);
}

/** Prints the answer of a command, or, where it is none, why. */
export function tell(text: string, code: number): number {
  (code === 0 ? console.log : console.error)(text);
  return code;
}
