// Registers at a shop on this machine (`npm start` in the root of the repository) and makes the first call on the trial.
//   node examples/register-trial.ts
import { Sluice } from 'sluice-client';

const base_url = process.env.SLUICE_BASE_URL ?? 'http://localhost:4020';
const { access_token } = await Sluice.register({ base_url });
const sluice = new Sluice({ access_token, base_url });

const page = await sluice.jobs.company({
  company_network_url: 'https://www.network.example/company/northwind-analytics',
  max_results: 5,
});
console.log(`${page.total_results} postings, the newest ${page.results_length}:`);
for (const { title, location } of page.results) console.log(`  ${title}, ${location.city}`);
