import * as Visitor from '../../adapters/visitor.ts';
import * as Audit from '../../discovery/audit.ts';
import * as Command from '../command.ts';

export const help = `Looks at a shop as a crawler does, and says what a crawler would miss.

  sluice discovery check <url> [--strict] [--timeout 10] [--json]

  <url>       the address of a running shop, this one or any other: https://shop.example.com
  --strict    warnings count too
  --timeout   how many seconds each request may take, 1 to 60

Reads the OpenAPI description to its last page, llms.txt, skill.md, the well-known addresses, manifest and signed prices; follows links
within the shop; asks a few priced operations without a token and without a payment, which costs nothing and changes nothing but
that a purchase that is asked about is noted as offered. Makes 400 requests at most, and reads 4 MiB of an answer at most.

Exit code: 0 nothing is missed, 1 something is, 2 the shop could not be looked at.`;

const marks = { error: 'MISSED ', warning: 'WARNING', note: 'note   ' };

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, {
    strict: { type: 'boolean', default: false },
    timeout: { type: 'string', default: '10' },
    json: { type: 'boolean' },
  });
  const [verb, given = '', ...rest] = positionals;
  Command.choose(verb, ['check']);
  Command.noMore(rest);
  const url = URL.parse(given);
  const seconds = Number(values.timeout);
  if (!(seconds >= 1 && seconds <= 60)) throw new Command.Misuse('--timeout is a number of seconds, 1 to 60');
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Command.Misuse('Which shop? Give its address, https://shop.example.com');
  const { origin } = url;
  const visitor = Visitor.open(seconds * 1000);
  try {
    const start = await visitor.visit({ url: `${origin}/` });
    if (start.status === 0) throw new Error(`${origin} could not be looked at: ${start.text}`);
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
