// Writes the cost of each day of this month, and the ten latest calls, as CSV.
//   SLUICE_ACCESS_TOKEN=... SLUICE_BASE_URL=http://localhost:4020 node examples/usage-report.ts
import { Sluice } from 'sluice-client';

const month = { since: `${new Date().toISOString().slice(0, 7)}-01` };
const sluice = new Sluice();
const { usage } = await sluice.account.usage({ ...month, group: 'day' });
console.log('day,calls,cost_usd');
for (const { day, calls, cost_usd } of usage) console.log([day, calls, cost_usd].join());

console.log('at,operation,cost_usd');
const latest = await sluice.account.calls(month).collect({ max_items: 10 });
for (const { at, operation, cost_usd } of latest) console.log([at, operation, cost_usd].join());

const { balance_usd } = await sluice.account.overview();
console.log(`Balance: ${balance_usd} USD`);
