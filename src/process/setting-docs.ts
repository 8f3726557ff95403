import type { Setting } from './setting.ts';
import { groups } from './setting-table.ts';
import { plain } from './settings.ts';

/** Returns the settings as Markdown: a section with a table for each group. docs/settings.md contains it. */
export function markdown(): string {
  return Object.entries(groups)
    .map(([group, settings]) => {
      const rows = Object.entries(settings).map(
        ([name, it]) => `| \`${name}\`${marks(it)} | ${defaultOf(it)} | ${it.about.replaceAll('|', '\\|')} |`,
      );
      return [`## ${group}`, '', '| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
    })
    .join('\n\n');
}

/** Returns `page` with the current tables between its markers. */
export function fill(page: string): string {
  const [, head, tail] = /^(.*<!-- settings:begin[^\n]*\n).*(<!-- settings:end -->.*)$/s.exec(page) ?? [];
  if (head === undefined)
    throw new Error('The page has no markers "<!-- settings:begin" and "<!-- settings:end -->"');
  return `${head}\n${markdown()}\n\n${tail}`;
}

/** Returns the settings as plain text for a terminal. */
export function settingsPage(): string {
  return Object.entries(groups)
    .map(([group, settings]) => {
      const entries = Object.entries(settings).map(
        ([name, it]) => `  ${name}  (${plain(`default: ${defaultOf(it)}`)})\n      ${plain(it.about)}`,
      );
      return [plain(group), ...entries].join('\n');
    })
    .join('\n\n');
}

/** Returns the settings for programs. */
export function json(): object[] {
  return Object.entries(groups).flatMap(([group, settings]) =>
    Object.entries(settings).map(([name, it]) => ({
      name,
      group: plain(group),
      default: it.default ?? null,
      about: plain(it.about),
      required: it.required ?? null,
      secret: it.secret ?? false,
      restart: it.restart ?? false,
    })),
  );
}

function defaultOf(setting: Setting): string {
  if (setting.default !== undefined) return `\`${setting.default}\``;
  return setting.defaultText ?? 'none';
}

/** `S`: secret. `R`: a change requires a restart. */
function marks({ secret, restart }: Setting): string {
  const letters = [secret && 'S', restart && 'R'].filter(Boolean);
  return letters.length > 0 ? ` (${letters.join(', ')})` : '';
}
