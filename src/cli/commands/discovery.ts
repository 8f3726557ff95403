import { parseArgs } from 'node:util';
import * as Visitor from '../../adapters/visitor.ts';
import * as Audit from '../../discovery/audit.ts';
import type { Command } from '../command.ts';

const help = `Looks at a shop as a crawler does, and says what a crawler would miss.

  npm run discovery -- check <url> [--strict] [--timeout 10] [--json]

  <url>       the address of a running shop, this one or any other: https://shop.example.com
  --strict    warnings count too
  --timeout   how many seconds each request may take, 1 to 60

Reads the OpenAPI description to its last page, llms.txt, skill.md, the well-known addresses, manifest and signed prices; follows links
within the shop; asks a few priced operations without a token and without a payment, which costs nothing and changes nothing but
that a purchase that is asked about is noted as offered. Makes 400 requests at most, and reads 4 MiB of an answer at most.

Exit code: 0 nothing is missed, 1 something is, 2 the shop could not be looked at.`;

export const command: Command = {
  name: 'discovery',
  about: 'what would a crawler of a shop miss?',
  help,
  run,
};

const marks = { error: 'MISSED ', warning: 'WARNING', note: 'note   ' };

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      strict: { type: 'boolean', default: false },
      timeout: { type: 'string', default: '10' },
      json: { type: 'boolean' },
    },
  });
  const [verb, given = '', ...rest] = positionals;
  const url = URL.parse(given);
  const seconds = Number(values.timeout);
  const isAsked = verb === 'check' && rest.length === 0 && seconds >= 1 && seconds <= 60;
  if (!isAsked || (url?.protocol !== 'http:' && url?.protocol !== 'https:')) {
    console.error(help);
    return 2;
  }
  const { origin } = url;
  const visitor = Visitor.open(seconds * 1000);
  try {
    const start = await visitor.visit({ url: `${origin}/` });
    if (start.status === 0) {
      console.error(`${origin} could not be looked at: ${start.text}`);
      return 2;
    }
    const report = await Audit.run(visitor.visit, origin);
    console.log(values.json ? JSON.stringify(report, null, 2) : inWords(report, visitor.requests()));
    const counts = values.strict ? ['error', 'warning'] : ['error'];
    return report.findings.some(({ severity }) => counts.includes(severity)) ? 1 : 0;
  } finally {
    await visitor.close();
  }
}

function inWords({ shop, found, findings }: Audit.Report, requests: number): string {
  const lines = findings.map(
    ({ severity, where, says, mend }) => `${marks[severity]}  ${where}\n         ${says}. ${mend}`,
  );
  const { operations, priced, pages } = found;
  const end = findings.length === 0 ? 'Nothing is missed.' : `${findings.length} findings.`;
  return [
    `${shop}: ${operations} operations on ${pages} pages, ${priced} with a price; ${requests} requests`,
    ...lines,
    end,
  ].join('\n');
}
