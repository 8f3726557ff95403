// Never pays more than one cent for a call: asks for fewer people if 50 could cost more. A refused call is free.
//   SLUICE_ACCESS_TOKEN=... SLUICE_BASE_URL=http://localhost:4020 node examples/price-ceiling.ts
import { charge, InsufficientRecordsError, Sluice } from 'sluice-client';

const sluice = new Sluice({ max_cost_usd: '0.01' });
const founders = (max_results: number) =>
  sluice.search.people({ people: { job_title: { include: ['Founder'] } }, max_results });

const page = await founders(50).catch((fault: unknown) => {
  if (!(fault instanceof InsufficientRecordsError) || fault.code !== 'price_ceiling') throw fault;
  console.log(fault.message);
  return founders(10);
});
console.log(`${page.results.length} people for ${charge(page)?.cost_usd} USD`);
