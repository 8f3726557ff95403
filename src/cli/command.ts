/** A command: what it says of itself, and what it does with its arguments. Resolves to the exit code. */
export type Command = { name: string; about: string; help: string; run(args: string[]): Promise<number> };
