import type { Clusters } from './clusters.ts';
import * as Measure from './measure.ts';
import * as Table from './table.ts';

const accountsMax = 1_000;
const cellCounts = [1, 2, 4];
const callerCounts = [16, 64, 256];
const warmUpSeconds = 2;

/**
 * Measures one process that routes its calls to one, two and four cells by slot. Each cell is a cluster of its own; all share this machine,
 * so the CPU per call is compared and not the calls per second.
 */
export async function routing(clusters: Clusters, rounds: number, seconds: number): Promise<string[]> {
  const all = [];
  for (let cell = 0; cell < Math.max(...cellCounts); cell++) all.push(await clusters.start(`cell${cell}`));
  const subjects: { count: number; subject: Measure.Subject }[] = [];
  for (const count of cellCounts) {
    const own = all.slice(0, count);
    const name = `over${count}`;
    const { urls, accounts } = await Measure.cells(own, name, accountsMax);
    subjects.push({ count, subject: await Measure.start({ urls, name, accounts }, own, clusters.dir) });
  }
  const taken = new Map<string, Measure.Sample[]>();
  for (const { subject } of subjects) await Measure.sample(subject, { callers: 64, seconds: warmUpSeconds });
  for (let round = 0; round < rounds; round++)
    for (const callers of callerCounts)
      for (const { count, subject } of subjects) {
        // Leases of the last round have returned; obtaining them again is not measured.
        await Measure.sample(subject, { callers, seconds: 1 });
        const key = `${callers} ${count}`;
        taken.set(key, [...(taken.get(key) ?? []), await Measure.sample(subject, { callers, seconds })]);
      }
  for (const { subject } of subjects) await subject.stop();
  const of = (callers: number, count: number) => taken.get(`${callers} ${count}`) ?? [];
  const rows = callerCounts.flatMap((callers) =>
    cellCounts.map((count) => [
      `${callers} callers, ${count} cells`,
      ...Table.columns(of(callers, count)),
      count === 1 ? '1' : Table.ratio(of(callers, count), of(callers, 1), ({ nodeUs }) => nodeUs),
      count === 1 ? '1' : Table.ratio(of(callers, count), of(callers, 1), ({ postgresUs }) => postgresUs),
    ]),
  );
  return [
    'One process, its calls routed by slot',
    ...Table.table(rows, ['Node, times one cell', 'PostgreSQL, times one cell']),
  ];
}
