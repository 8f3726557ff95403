import { html } from 'hono/html';
import type { Order } from '../../../payment/order.ts';
import * as Network from '../../../payment/x402/network.ts';
import type { Html } from '../../pages/frame.ts';
import { copied, pairs } from './figures.ts';

/** The names of networks that version 1 of x402 has no name for. */
const names: Readonly<Record<string, string>> = {
  'eip155:1': 'Ethereum',
  'eip155:42161': 'Arbitrum One',
  'eip155:421614': 'Arbitrum Sepolia',
};

/** The coin of a stablecoin payment: its name with that of its network, or null when either is not known. */
function coinOf({ signedPayment }: Order): { coin: string; network: string } | null {
  if (signedPayment === null) return null;
  const { network: id, asset } = signedPayment;
  const found = Network.find(id);
  const plain = found?.legacyName?.replace(/(^|-)\w/g, (start) => start.replace('-', ' ').toUpperCase());
  const isUsdc = found?.asset.toLowerCase() === asset.toLowerCase();
  return { coin: isUsdc ? 'USDC' : `token ${asset}`, network: plain ?? names[id] ?? id };
}

/** The unit of the amount that the seller sends. */
export function unitOf(order: Order): string {
  return coinOf(order)?.coin === 'USDC' ? 'USDC' : 'USD';
}

/** Shows where to send a refund: the wallet that paid, in the same coin on the same network. A wrong transfer cannot be taken back. */
export function destination(order: Order): Html {
  const { signedPayment, transaction } = order;
  const coin = coinOf(order);
  const paidIn = transaction === null ? [] : [['Paid in transaction', copied(transaction)] as const];
  if (signedPayment === null || coin === null)
    return html`${pairs(paidIn)}<p class="note">The address that paid is not known. Ask the buyer for an address, its coin and its network before you send money.</p>`;
  return html`${pairs([
    ['Send to', html`${copied(signedPayment.from)} <span class="soft">the wallet that paid</span>`],
    ['Coin', `${coin.coin} on ${coin.network}`],
    ...paidIn,
  ])}<p class="soft">Use the same coin on the same network: a wrong transfer cannot be taken back.</p>`;
}
