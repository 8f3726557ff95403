// Buys credit for 5 USD with a card token (`spt_...`), without a person: answers the challenge of the purchase.
//   SLUICE_ACCESS_TOKEN=... SLUICE_BASE_URL=http://localhost:4020 CARD_TOKEN=spt_... node examples/buy-plan.ts
import { PaymentDeclinedError, Sluice } from 'sluice-client';

const sluice = new Sluice();
const offer = await sluice.purchase('credit', { amount_usd: '5.00' });
if (offer.code !== 'payment_required') throw new Error(`The purchase is ${offer.code}`);

// The challenge of the Payment scheme: name="value", name="value"
const parameters = [...(offer.www_authenticate ?? '').matchAll(/(\w+)="([^"]*)"/g)];
const challenge = Object.fromEntries(parameters.map(([, name, value]) => [name, value]));
const credential = { challenge, payload: { spt: process.env.CARD_TOKEN } };
const payment_credential = btoa(JSON.stringify(credential)).replaceAll('+', '-').replaceAll('/', '_');

try {
  const paid = await sluice.purchase('credit', {
    amount_usd: '5.00',
    payment_credential: payment_credential.replace(/=+$/, ''),
  });
  if (paid.code === undefined) console.log(`Paid. The balance is ${paid.balance_usd} USD.`);
  else console.log(`The payment is being processed: ${paid.code}`);
} catch (fault) {
  if (!(fault instanceof PaymentDeclinedError)) throw fault;
  console.log(`The card was declined: ${fault.message}`);
}
