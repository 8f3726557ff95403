import { openHttpClient } from '../../adapters/http-client.ts';
import * as Audit from '../../discovery/audit.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.findingsOf('address');
const listedMax = 3;

/** Checks that the shop answers at its public address, is ready, and is complete for a crawler. */
export async function checkAddress(publicUrl: string): Promise<Finding.Finding[]> {
  const visitor = openHttpClient(Finding.answerMsMax);
  try {
    const ready = await visitor.visit({ url: `${publicUrl}/readyz` });
    if (ready.status === 0)
      return [
        unproved(
          `no server responds at ${publicUrl}: ${ready.text}`,
          'start the shop with sluice start, check PUBLIC_URL, then run the check again',
        ),
      ];
    if (!ready.text.includes('"checks"'))
      return [
        problem(
          `${publicUrl} is not a shop: GET /readyz responds with ${ready.status}`,
          'check PUBLIC_URL and the proxy in front',
        ),
      ];
    const findings = [
      ready.status === 200
        ? ok(`${publicUrl} is reachable and ready`)
        : problem(`${publicUrl} is not ready: ${ready.text.slice(0, 200)}`),
    ];
    const report = await Audit.audit(visitor.visit, publicUrl);
    const missed = report.findings.filter(({ severity }) => severity === 'error');
    findings.push(
      missed.length === 0
        ? ok(
            `a crawler finds ${report.found.operations} operations, ${report.found.priced} with a price, and nothing is missing`,
          )
        : problem(
            `a crawler misses ${missed.length === 1 ? 'one thing' : `${missed.length} things`}: ${missed
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
