/**
 * A command of `sluice` with its help. `run` resolves to the exit code: 0 done, 1 a fault was found or the command was refused, 3 the
 * outcome is unknown. An exception exits with 2: the arguments are wrong, or the command could not start.
 */
export type Command = {
  help: string;
  /** Help for single subcommands. */
  helpOf?: Readonly<Record<string, string>>;
  run(args: string[]): Promise<number>;
};

/** Prints the result of a command to standard output, or its failure to standard error. Returns `code`. */
export function tell(text: string, code: number): number {
  (code === 0 ? console.log : console.error)(text);
  return code;
}

/** Returns the subcommand with a help of its own that the arguments name, if any. */
export function subcommand({ helpOf = {} }: Command, args: readonly string[]): string[] {
  const named = args.find((arg) => !arg.startsWith('-'));
  return named !== undefined && Object.hasOwn(helpOf, named) ? [named] : [];
}

/** Returns the help of the subcommand that the arguments name, or that of the command. */
export function helpFor(command: Command, args: readonly string[]): string {
  const [named = ''] = subcommand(command, args);
  return command.helpOf?.[named] ?? command.help;
}
