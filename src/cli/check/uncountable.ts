import postgres from 'postgres';
import * as Uncountable from '../../adapters/postgres/uncountable.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.findingsOf('counting');
const days = 7;
const listedMax = 5;

/** Reports successes of the upstream in the last days that no process of the shop could count. */
export async function checkUncountable(url: string, nowMs: number): Promise<Finding.Finding> {
  const sql = postgres(url, {
    max: 1,
    onnotice: () => {},
    connect_timeout: Finding.answerMsMax / 1_000,
    connection: { statement_timeout: Finding.answerMsMax },
  });
  try {
    const [table] = await sql<
      [{ there: boolean }]
    >`SELECT to_regclass('shop.uncountable_response') IS NOT NULL AS there`;
    if (!table.there) return unproved('the shop has not run on this database yet');
    const counts = await Uncountable.since(sql, nowMs - days * 86_400_000);
    const calls = counts.reduce((sum, one) => sum + one.calls, 0);
    if (calls === 0) return ok(`every success of the upstream in the last ${days} days could be counted`);
    const listed = counts
      .slice(0, listedMax)
      .map(({ operation, reason, calls: of }) => `${operation} ${of} times (${reason})`);
    return problem(
      `${calls} successes of the upstream in the last ${days} days could not be counted: ${listed.join(', ')}`,
      'docs/monitoring.md explains each reason',
    );
  } catch (fault) {
    return unproved(`whether responses can be counted: ${Finding.reason(fault)}`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
