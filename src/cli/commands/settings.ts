import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as CommandLine from '@sluice/kernel/command-line';
import * as SettingDocs from '../../process/setting-docs.ts';

export const help = `Lists every setting: its default and its meaning.

  sluice settings               prints a readable list
  sluice settings --markdown    prints the tables of docs/settings.md
  sluice settings --write       writes these tables into docs/settings.md (in a checkout of Sluice)

  --json      prints the list as JSON

Exit code: 0 listed or written, 2 the arguments are wrong.`;

const page = fileURLToPath(new URL('../../../docs/settings.md', import.meta.url));

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, {
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  });
  CommandLine.noMore(positionals);
  if (values.write) await writeFile(page, SettingDocs.fill(await readFile(page, 'utf8')));
  else if (values.json) console.log(JSON.stringify(SettingDocs.json(), null, 2));
  else console.log(values.markdown ? SettingDocs.markdown() : SettingDocs.settingsPage());
  return 0;
}
