import * as CommandLine from '@sluice/kernel/command-line';
import { openHttpClient } from '../../adapters/http-client.ts';
import * as Audit from '../../discovery/audit.ts';
import * as Wait from '../wait.ts';

export const help = `Checks a shop from outside as a crawler does, and reports what a crawler could not find.

  sluice discovery check <url> [--strict] [--timeout 10] [--json]

  <url>       the address of a running shop, this one or any other: https://shop.example.com
  --strict    counts warnings as errors
  --timeout   time limit of each request in seconds, 1 to 60

The check reads all pages of the OpenAPI description, llms.txt, skill.md, the well-known addresses, the manifest and the signed prices, and
follows links within the shop. It sends a few priced requests without a token and without a payment: they cost nothing, and the only trace is
an open purchase offer. It sends at most 400 requests and reads at most 4 MiB of each response.

Exit code: 0 nothing is missing, 1 something is, 2 the shop could not be reached.`;

const marks = { error: 'MISSED ', warning: 'WARNING', note: 'note   ' };

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, {
    strict: { type: 'boolean', default: false },
    timeout: { type: 'string', default: '10' },
    json: { type: 'boolean' },
  });
  const [verb, given = '', ...rest] = positionals;
  CommandLine.choose(verb, ['check']);
  CommandLine.noMore(rest);
  const url = URL.parse(given);
  const seconds = Number(values.timeout);
  if (!(seconds >= 1 && seconds <= 60))
    throw new CommandLine.Misuse('--timeout must be a number of seconds from 1 to 60');
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new CommandLine.Misuse('The address of the shop is missing, such as https://shop.example.com');
  const { origin } = url;
  const visitor = openHttpClient(seconds * 1000);
  try {
    const start = await visitor.visit({ url: `${origin}/` });
    if (start.status === 0) throw new Error(`${origin} could not be read: ${start.text}`);
    const report = await Wait.during(`Looking at ${origin}`, () => Audit.audit(visitor.visit, origin));
    console.log(values.json ? JSON.stringify(report, null, 2) : inWords(report, visitor.requests()));
    const counts = values.strict ? ['error', 'warning'] : ['error'];
    return report.findings.some(({ severity }) => counts.includes(severity)) ? 1 : 0;
  } finally {
    await visitor.close();
  }
}

function inWords({ shop, found, findings }: Audit.AuditReport, requests: number): string {
  const lines = findings.map(
    ({ severity, where, says, fix }) => `${marks[severity]}  ${where}\n         ${says}. ${fix}`,
  );
  const { operations, priced, pages } = found;
  const end = findings.length === 0 ? 'Nothing is missing.' : `${findings.length} findings.`;
  return [
    `${shop}: ${operations} operations on ${pages} pages, ${priced} with a price; ${requests} requests`,
    ...lines,
    end,
  ].join('\n');
}
