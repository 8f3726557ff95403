// A program that uses the packed package under the strictest settings; scripts/consume.mjs checks and runs it.
import {
  type AccountOverview,
  type Charge,
  charge,
  InsufficientRecordsError,
  type Person,
  Sluice,
  type StreamEvent,
  verifyWebhook,
  WebhookVerificationError,
} from 'sluice-client';

const fetch = async () => Response.json({ results: [{ full_name: 'Ada Ito' }], cursor: null });
const sluice = new Sluice({ api_key: 'sk_test', base_url: 'https://api.test', fetch });

const people: Person[] = await sluice.search.people({ max_results: 1 }).collect({ max_items: 1 });
const page = await sluice.search.people();
const paid: Charge | null = charge(page);
const events: StreamEvent[] = [];
for await (const event of sluice.stream('/v1/chat/completions', { stream: true })) events.push(event);
const overview: Promise<AccountOverview> = sluice.account.overview();
await overview.catch((fault: unknown) => {
  if (fault instanceof InsufficientRecordsError) return fault.plans.map(({ id }) => id);
  throw fault;
});
const refusal = await verifyWebhook<{ n: number }>('{}', {}, 'whsec_YQ==').then(
  ({ payload }) => payload.n,
  (fault: unknown) => (fault instanceof WebhookVerificationError ? 400 : 500),
);
console.log(people[0]?.full_name, paid, events.length, refusal);

/** Never called: a checker that has seen no types accepts these mistakes. */
export function mistakes(): unknown {
  // @ts-expect-error
  const wrong = new Sluice({ api_key: 1 });
  // @ts-expect-error
  wrong.search.people({ max_results: '1' });
  // @ts-expect-error
  wrong.account.create_key({});
  // @ts-expect-error
  return page.nonsense;
}
