import * as CommandLine from '@sluice/kernel/command-line';
import { defaultsAsYaml } from '../../text/export.ts';

export const help = `Prints every text of the shop's pages, mails and error messages with its key, as YAML.

  sluice texts > texts.yaml     a file to change or translate

Delete the texts that you keep as they are, name the file in the setting TEXTS, and check it with sluice check.
docs/translating.md explains placeholders, plural forms and the language.

Exit code: 0 printed, 2 the arguments are wrong.`;

export async function run(args: string[]): Promise<number> {
  const { positionals } = CommandLine.read(args, {});
  CommandLine.noMore(positionals);
  process.stdout.write(defaultsAsYaml());
  return 0;
}
