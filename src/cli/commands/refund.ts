import * as CommandLine from '@sluice/kernel/command-line';
import * as Money from '@sluice/kernel/money';
import * as Refund from '../../journeys/refund.ts';
import * as RefundedSubscription from '../../journeys/refunded-subscription.ts';
import * as Reversal from '../../journeys/sync-reversals.ts';
import { keyCharsMax, type RefundInstruction, referenceCharsMax } from '../../payment/reversal.ts';
import * as BackOffice from '../back-office.ts';

export const help = `Refunds a purchase and takes back its credit.

  sluice refund pur_4f0c... --amount 1.50 --key ticket-71
  sluice refund <purchase> [--amount 1.50] [--key 4711] [--keep-subscription] [--json]
  sluice refund <purchase> --sent-by-hand [--reference 0x...] [--amount 1.50] [--key 4711]

  <purchase>   pur_..., or the id of a payment: pi_...
  --amount     a part, in USD; by default everything that has not been refunded
  --key        an idempotency key of your choice: the refund happens once, even if the command is repeated
  --sent-by-hand   for a stablecoin purchase that you refunded from your own wallet: takes back its credit and closes the buyer's request
  --reference      the hash of that transaction, for the audit log

  --keep-subscription   keeps the subscription of the purchase, which will be charged again

A refund of a subscription ends it: at once when the current period is fully refunded, else with its period. The command says so before it
refunds.
Spent credit cannot be taken back: that part is your loss, and the command shows the amount.
Two simultaneous refunds are made once. A partial refund that is repeated later is made again, unless it has a key.
Exit code: 0 refunded, 1 not refunded, 2 the arguments are wrong, 3 the outcome is unknown: check it before another try.`;

type RefundArguments = {
  id: string;
  amount: Money.Money | null;
  key: string | null;
  byHand: { reference: string | null } | null;
  keepsSubscription: boolean;
  json: boolean;
};

/** Reads the arguments. Throws Misuse. */
function parse(args: string[]): RefundArguments {
  const { values, positionals } = CommandLine.read(args, {
    amount: { type: 'string' },
    key: { type: 'string' },
    'keep-subscription': { type: 'boolean', default: false },
    'sent-by-hand': { type: 'boolean', default: false },
    reference: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const [id, ...rest] = positionals;
  CommandLine.noMore(rest);
  if (id === undefined) throw new CommandLine.Misuse('The purchase is missing: give pur_... or pi_...');
  const amount = values.amount === undefined ? null : Money.parse(values.amount);
  if (values.amount !== undefined && (amount === null || Money.toCents(amount) === null))
    throw new CommandLine.Misuse(`--amount ${values.amount} must be an amount in whole cents, such as 1.50`);
  const { key = null, reference = null } = values;
  requireLength('--key', key, keyCharsMax);
  requireLength('--reference', reference, referenceCharsMax);
  const byHand = values['sent-by-hand'] ? { reference } : null;
  if (reference !== null && byHand === null)
    throw new CommandLine.Misuse('--reference requires --sent-by-hand');
  return { id, amount, key, byHand, keepsSubscription: values['keep-subscription'], json: values.json };
}

function requireLength(name: string, text: string | null, charsMax: number): void {
  if (text !== null && (text === '' || text.length > charsMax))
    throw new CommandLine.Misuse(`${name} must have 1 to ${charsMax} characters`);
}

export async function run(args: string[]): Promise<number> {
  const { id, amount, key, byHand, keepsSubscription, json } = parse(args);
  const office = await BackOffice.openBackOffice(process.env);
  try {
    const order = id.startsWith('pi_') ? await office.paymentContext.orders.paidBy(id) : null;
    const subscription = keepsSubscription ? 'keep' : 'end';
    const purchaseInput = { order: order?.id ?? id, amount, key, subscription, byHand } as const;
    if (subscription === 'end' && byHand === null) await announce(office, purchaseInput);
    const outcome = await Refund.refund(office.paymentContext, purchaseInput, BackOffice.who);
    if (json) console.log(JSON.stringify(outcome, null, 2));
    else (outcome.kind === 'refunded' ? console.log : console.error)(Refund.describeRefund(outcome));
    return outcome.kind === 'refunded' ? 0 : outcome.kind === 'pending' ? 3 : 1;
  } finally {
    await office.close();
  }
}

/** Announces which subscription ends before the refund; on standard error, so that --json stays JSON. */
async function announce(
  { paymentContext }: BackOffice.BackOffice,
  purchaseInput: RefundInstruction,
): Promise<void> {
  const order = await paymentContext.orders.find(purchaseInput.order);
  if (order === null) return;
  const left =
    order.amount -
    (await Reversal.reversedAmount(paymentContext, order)) -
    (purchaseInput.amount ?? order.amount);
  const ending = await RefundedSubscription.endingOf(paymentContext, order, Money.ofMicro(Math.max(0, left)));
  if (ending) console.error(`${RefundedSubscription.describeEnd(ending)} --keep-subscription keeps it.`);
}
