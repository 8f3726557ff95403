// Registers at a shop, asks for more than the trial holds, and shows what to buy and where to pay for it.
//   node examples/pay-on-page.ts
import { InsufficientRecordsError, type PlanOffer, PlanRequiredError, Sluice } from 'sluice-client';

const base_url = process.env.SLUICE_BASE_URL ?? 'http://localhost:4020';
const { access_token } = await Sluice.register({ base_url });
const sluice = new Sluice({ access_token, base_url });
const company_network_url = 'https://www.network.example/company/northwind-analytics';

const offers = await sluice.jobs
  .company({ company_network_url, max_results: 10 })
  .collect({ max_items: 60 })
  .then((): PlanOffer[] => [])
  .catch((fault: unknown) => {
    if (fault instanceof PlanRequiredError || fault instanceof InsufficientRecordsError) return fault.plans;
    throw fault;
  });

for (const offer of offers) console.log(`${offer.name}: from ${offer.price_usd} USD`);

const purchase = await sluice.purchase('credit', { amount_usd: '0.50' });
if (purchase.code === 'payment_required') console.log(`Pay 0.50 USD at ${purchase.checkout_url}`);
