import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { hint } from './did-you-mean.ts';

/** A command line that the program does not understand. */
export class Misuse extends Error {}

/** Parses options and positional arguments. Throws Misuse on an unknown option, with the nearest name, and on a missing or surplus value. */
export function read<const O extends ParseArgsOptionsConfig>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new Misuse(message.replace(/^Option/, 'The option'));
    const [, name = ''] = /'(-[^'= ]*)/.exec(message) ?? [];
    const names = Object.keys(options).map((known) => `--${known}`);
    throw new Misuse(`Unknown option ${name}. ${hint(name, names, 'Options')}`);
  }
}

/** Returns the one of `verbs` that was given. Throws Misuse for any other, with the nearest one. */
export function choose<const V extends string>(given: string | undefined, verbs: readonly V[]): V {
  const found = verbs.find((verb) => verb === given);
  if (found !== undefined) return found;
  throw new Misuse(
    given === undefined
      ? `A subcommand is missing. Choose one of: ${verbs.join(', ')}`
      : `Unknown subcommand "${given}". ${hint(given, verbs, 'Subcommands')}`,
  );
}

/** Throws Misuse when there are more arguments than the command takes. */
export function noMore(rest: readonly string[]): void {
  if (rest.length > 0) throw new Misuse(`Unexpected argument: "${rest.join(' ')}"`);
}
