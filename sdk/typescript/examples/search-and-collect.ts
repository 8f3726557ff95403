// Lists companies that hire engineers in Germany, by the number of their postings. Each company costs a record, 100 at most.
//   SLUICE_API_KEY=sk_... SLUICE_BASE_URL=http://localhost:4021 node examples/search-and-collect.ts
import { Sluice } from 'sluice-client';

const sluice = new Sluice();
const hiring = await sluice.search
  .tam_by_jobs({
    job: {
      title: { include: ['Engineer'] },
      location: { country_code: { include: ['DE'] } },
      min_per_company: 2,
    },
    max_results: 50,
  })
  .collect({ max_items: 100 });

for (const { company, matched_jobs } of hiring) {
  console.log(String(matched_jobs).padStart(4), company.name, company.hq?.city ?? '');
}
