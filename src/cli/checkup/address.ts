import * as Visitor from '../../adapters/visitor.ts';
import * as Audit from '../../discovery/audit.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.of('address');
const listedMax = 3;

/** Is the shop to be found at its public address, ready, and complete to a crawler? */
export async function look(publicUrl: string): Promise<Finding.Finding[]> {
  const visitor = Visitor.open(Finding.answerMsMax);
  try {
    const ready = await visitor.visit({ url: `${publicUrl}/readyz` });
    if (ready.status === 0)
      return [
        unproved(
          `nothing answers at ${publicUrl}: ${ready.text}`,
          'open the shop with sluice start, then check again; is it the right PUBLIC_URL?',
        ),
      ];
    if (!ready.text.includes('"checks"'))
      return [
        problem(
          `what answers at ${publicUrl} is no shop: GET /readyz gives ${ready.status}`,
          'is PUBLIC_URL, or the proxy in front, right?',
        ),
      ];
    const findings = [
      ready.status === 200
        ? ok(`${publicUrl} is open and ready`)
        : problem(`${publicUrl} is not ready: ${ready.text.slice(0, 200)}`),
    ];
    const report = await Audit.run(visitor.visit, publicUrl);
    const missed = report.findings.filter(({ severity }) => severity === 'error');
    findings.push(
      missed.length === 0
        ? ok(
            `a crawler finds ${report.found.operations} operations, ${report.found.priced} with a price, and misses nothing`,
          )
        : problem(
            `a crawler misses ${missed.length} things: ${missed
              .slice(0, listedMax)
              .map(({ where, says }) => `${where}: ${says}`)
              .join('; ')}`,
            `sluice discovery check ${publicUrl}`,
          ),
    );
    return findings;
  } finally {
    await visitor.close();
  }
}
