import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What no file of ours says, and where it may be said after all. */
const rules: { name: string; pattern: RegExp; except: RegExp; breach: string }[] = [
  {
    // postgres.js runs the rest of the callback outside the transaction when the backend dies inside it: money moves by one statement.
    name: 'no transaction callbacks',
    pattern: /\.(?:begin|transaction|savepoint)\(/,
    except: /^$/,
    breach: 'await sql.begin(async (tx) => tx`UPDATE`);',
  },
  {
    name: 'time is a value, but for the edges',
    pattern: /\bDate\.now\(\)|\bnew Date\(\)|\bperformance\.now\(\)/,
    except: /^src\/(kernel\/clock|adapters\/|cli\/|main|direct\/|sandbox\/)/,
    breach: 'const now = Date.now();',
  },
  {
    name: 'chance comes from the kernel',
    pattern: /\bMath\.random\(/,
    except: /^$/,
    breach: 'const dice = Math.random();',
  },
  {
    name: 'the environment is read in one place of each program',
    pattern: /\bprocess\.env\b/,
    except:
      /^src\/(config|main|cli\/.*|direct\/(config|main)|sandbox\/(config|main)|mailbox\/main|adapters\/embedded\/server)\.ts$/,
    breach: 'const port = process.env.PORT;',
  },
  {
    name: 'nothing is left for later',
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/,
    except: /^$/,
    breach: '// TODO: check the amount',
  },
];

const lineCountMax = 300;
/** Tables of sample data are looked up, not read; the lane is one state machine, told in one place. */
const longer = /^src\/(?:direct\/data\/|ledger\/lane\.ts$)/;

function files(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);
}

const sources = files('src').map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));

describe('the source keeps the house rules', () => {
  for (const { name, pattern, except, breach } of rules) {
    it(name, () => {
      expect(breach).toMatch(pattern);
      const breaches = sources
        .filter(({ path, text }) => !except.test(path) && pattern.test(text))
        .map(({ path }) => path);
      expect(breaches).toEqual([]);
    });
  }

  it('no file is longer than a reader can hold', () => {
    const long = sources
      .filter(({ path, text }) => !longer.test(path) && text.split('\n').length - 1 > lineCountMax)
      .map(({ path }) => path);
    expect(sources.length).toBeGreaterThan(100);
    expect(long).toEqual([]);
  });
});
