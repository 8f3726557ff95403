import * as Reversal from '../../journeys/reversal.ts';
import * as Money from '../../kernel/money.ts';
import { keyCharsMax } from '../../payment/reversal.ts';
import * as BackOffice from '../back-office.ts';
import * as Command from '../command.ts';

export const help = `Sends back the money of a purchase; its credit goes with it.

  sluice refund pur_4f0c... --amount 1.50 --key ticket-71
  sluice refund <purchase> [--amount 1.50] [--key 4711] [--json]

  <purchase>   pur_..., or the id of a payment: pi_...
  --amount     a part, in USD; all that has not gone back yet where it is left out
  --key        a name of your own for this refund: under it the money goes back once, whenever the command is said again

What is spent of the credit cannot be taken back from the buyer: that part is your loss, and the command says how much it is.
Said twice at once, the money goes back once. A part that is said again later goes back again, unless it has a key.
Exit code: 0 it went back, 1 it did not, 2 what was asked for cannot be read, 3 nobody knows yet: look again before another try.`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, {
    amount: { type: 'string' },
    key: { type: 'string' },
    json: { type: 'boolean' },
  });
  const [id, ...rest] = positionals;
  Command.noMore(rest);
  if (id === undefined) throw new Command.Misuse('Refund which purchase? pur_..., or pi_...');
  const amount = values.amount === undefined ? null : Money.parse(values.amount);
  if (values.amount !== undefined && (amount === null || Money.toCents(amount) === null))
    throw new Command.Misuse(`--amount ${values.amount} is no amount in whole cents, such as 1.50`);
  const { key = null } = values;
  if (key === '' || (key !== null && key.length > keyCharsMax))
    throw new Command.Misuse(`--key is 1 to ${keyCharsMax} characters`);
  const office = await BackOffice.open(process.env);
  try {
    const order = id.startsWith('pi_') ? await office.till.orders.paidBy(id) : null;
    const outcome = await Reversal.refund(
      office.till,
      { order: order?.id ?? id, amount, key },
      BackOffice.who,
    );
    if (values.json) console.log(JSON.stringify(outcome, null, 2));
    else (outcome.kind === 'refunded' ? console.log : console.error)(Reversal.inWords(outcome));
    return outcome.kind === 'refunded' ? 0 : outcome.kind === 'pending' ? 3 : 1;
  } finally {
    await office.close();
  }
}
