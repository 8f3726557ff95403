// Pays once for an email, however often this program runs: the key names the job, and is the same in every run for 24 hours.
//   SLUICE_ACCESS_TOKEN=... SLUICE_BASE_URL=http://localhost:4020 node examples/safe-retry.ts
import { APIConnectionError, charge, Sluice } from 'sluice-client';

const sluice = new Sluice({ max_retries: 5 });
const person_network_url = 'https://www.network.example/in/beulah-lee';
const idempotency_key = `newsletter-2026-01:${person_network_url}`;

/** The client retries by itself; this repeats the call when even that has failed. */
async function email() {
  for (let run = 1; ; run += 1) {
    try {
      return await sluice.enrichment.email({ person_network_url }, { idempotency_key });
    } catch (fault) {
      if (!(fault instanceof APIConnectionError) || run === 3) throw fault;
    }
  }
}

const first = await email();
const again = await email();
console.log(first.email, `charged once: ${charge(first)?.call === charge(again)?.call}`);
