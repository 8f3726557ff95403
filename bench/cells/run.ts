import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import * as Clusters from './clusters.ts';
import { plproxy } from './plproxy.ts';
import { routing } from './routing.ts';
import { simulate } from './simulate.ts';
import { split } from './split.ts';
import { usage } from './usage.ts';

const parts = { routing, plproxy, split, usage, simulate: async () => simulate() };

const help = `Measures what dividing accounts over several PostgreSQL clusters costs (docs/decisions/0053-ledger-cells.md).

  node bench/cells/run.ts

  --only PART,...   routing: one process with a writer in one, two and four cells
                    plproxy: the ledger through PL/Proxy beside the same one directly
                    split: a standby that is promoted as a new cell under load
                    usage: processes whose usage is in databases of their own (decision 0056)
                    simulate: what 100,000 and 1,000,000 calls a second need, and what gives way first
  --rounds N        5 unless said otherwise
  --seconds N       of each round; 2 unless said otherwise

It takes postgresql-15 and postgresql-15-plproxy of Debian, and starts its clusters in a temporary folder, which it removes.`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(parts).join(',') },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false, short: 'h' },
  },
});

if (values.help) console.log(help);
else
  for (const [name, part] of Object.entries(parts)) {
    if (!values.only.split(',').includes(name)) continue;
    const clusters = await Clusters.open();
    try {
      const before = loadavg()[0] ?? 0;
      const lines = await part(clusters, Number(values.rounds), Number(values.seconds));
      console.log(
        [
          '',
          ...lines,
          ...(name === 'simulate'
            ? []
            : [
                `(${cpus().length} cores, load of the machine ${before.toFixed(1)} before; in brackets: the middle half)`,
              ]),
        ].join('\n'),
      );
    } finally {
      await clusters.close();
    }
  }
