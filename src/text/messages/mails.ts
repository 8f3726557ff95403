/** Mails in plain text. Their lines are broken by hand, because mail programs do not agree on how to break them. */
export const mails = {
  'mail.claim.subject': '{code} is your code for {shop}',
  'mail.claim.text': `Your code to save your account at
{shop}, {url}

    {code}

Enter it on the page where you asked for it, or give it to the program that
asked you for it. It works once and expires in {minutes} minutes.

{effect}

If you did not expect this email, ignore it and do not share the code.
`,
  'mail.claim.merges': `You already have an account here. The one that you are saving is merged
into it: its balance is added to yours, and programs that use it can spend
your balance.`,
  'mail.claim.owns': `With it, this address can sign in to the account and spend its balance.
Programs that use the account keep their access.`,

  'mail.sign_in.subject': 'Sign in to {shop}',
  'mail.sign_in.text': `Someone asked to sign in with this address at
{shop}, {url}

If it was you, open this link in the browser in which you asked for it:

{link}

It works once, for {minutes} minutes. In another browser you will be asked
for your email address first.

If it was not you, ignore this mail and do not share the link.
`,
  'mail.join.subject': 'Join the account of {owner} at {shop}',
  'mail.join.text': `With this address, someone accepted the invitation of {inviter}
to {account} at {shop}, {url}

If it was you, open this link in the browser in which you asked for it:

{link}

It works once, for {minutes} minutes. In another browser you will be asked
for your email address first.

If it was not you, ignore this mail and do not share the link.
`,
  'mail.invitation.subject': '{inviter} invites you to an account at {shop}',
  'mail.invitation.text': `{inviter} invites you to {account}
at {shop}, {url}
as {role}.

To join or to decline, open this link within {days} days:

{link}

You join by signing in with the address that this mail was sent to. An
account that you already have there stays as it is.

If you do not know the sender, ignore this mail. Nothing happens then.
`,
  'mail.no_account.subject': 'No account at {shop}',
  'mail.no_account.text': `Someone asked to sign in with this address at
{shop}, {url}

No account there has this address. If it was you, try another address or
start for free at {start}

If it was not you, you can ignore this mail.
`,

  'mail.past_due.subject': '{shop}: payment for {plan} failed',
  'mail.past_due.subject_amount': '{shop}: payment of {amount} for {plan} failed',
  'mail.past_due.text': `The plan {plan} at {shop}, {url}
could not be renewed: your card was declined, or your bank asks you to
confirm the payment.

{rows}What is left of the plan can be used until {until}.

{pay}
To view or cancel the plan:

{page}

{next}
`,
  'mail.past_due.pay': `To pay with this card or another one, or to confirm with your bank:

{link}
`,
  'mail.past_due.change_card': `To pay with another card, sign in and change the card of the plan:

{link}
`,
  'mail.failed.amount': `    Amount            {amount}
`,
  'mail.failed.card': `    Card              {card}
`,
  'mail.failed.next': `    Next attempt      {day}
`,
  'mail.failed.then': `If you do nothing, the card is charged again. If that fails too, the plan
ends.`,
  'mail.failed.then_on': `If you do nothing, the card is charged again on {day}.
If no payment succeeds, the plan ends.`,

  'mail.plans.subject': 'Your plans at {shop}',
  'mail.plans.text': `You, or someone else, asked for the plans that are paid with this address at
{shop}, {url}

To view or cancel a plan, open its link:

{plans}
If you did not ask for this mail, ignore it. Do not share the links: they give access to
these plans.
`,
  'mail.plans.renews': 'renews on {day}',
  'mail.plans.renews_for': 'renews on {day} for {amount}',
  'mail.plans.past_due': 'payment due',
  'mail.plans.plan': `{plan}, {state}:
{page}
`,

  'mail.charge.subject': '{shop} charged your card {amount}',
  'mail.charge.text': `Your card was charged at {shop}, {url}

    Amount            {amount}
{tax}{card}    Account           {account}
    Purchase          {purchase}
    This month        {month}

{receipt}You agreed to this on {day}: {agreed} each time the
credit of the account falls below {below}.

To cancel it, or to read the terms that you agreed to:

{page}
`,
  'mail.charge.tax': `    Tax               {tax}
    Total charged     {total}
`,
  'mail.charge.month': '{month} of at most {monthly_max}',
  'mail.charge.month_net': '{month} of at most {monthly_max}, before tax',
  'mail.charge.receipt': `Receipt:

{receipt}

`,
  'mail.charge.card': `    Card              {card}
`,

  'mail.account.footer': `You get this mail because your account at {shop} has this address.
Plans, payments and settings: {page}
`,
  'mail.paid.subject': '{shop}: payment of {amount} received',
  'mail.paid.text': `Thank you. Your payment at {shop}, {url}
has arrived.

    Plan              {plan}
    Amount            {amount}
{change}{tax}{until}    Purchase          {purchase}

Receipt:

{receipt}

{footer}`,
  'mail.paid.change': `    Change of plan    {price} less {credit} for the unused part
`,
  'mail.paid.tax': `    Tax included      {tax}
`,
  'mail.paid.until': `    Paid until        {day}
`,
  'mail.renewed.subject': '{shop}: {plan} was renewed for {amount}',
  'mail.renewed.text': `Your plan {plan} at {shop}, {url}
was renewed.

    Amount            {amount}
{tax}{until}    Purchase          {purchase}

Receipt:

{receipt}

{footer}`,

  'mail.unpaid.text': `Your plan {plan} at {shop}, {url}
could not be renewed: the card was declined, or the bank asks to confirm the
payment.

{rows}You can use what is left of the plan until {until}. To keep the plan, pay
with this card or another one, or confirm the payment:

{page}

{next}

{footer}`,

  'mail.refunded.subject': '{shop}: {amount} was refunded',
  'mail.refunded.text': `A payment at {shop}, {url}
was refunded.

    Refunded          {amount}
{before}    Paid              {paid}
    Plan              {plan}
    Purchase          {purchase}

{extent}
{way}

Receipt:

{receipt}

{footer}`,
  'mail.refunded.before': `    Refunded before   {before}
`,
  'mail.refunded.full': `The purchase is refunded in full. What is left of it can no longer be
used.`,
  'mail.refunded.part': `This is a part of the purchase: {left} of it remains paid. The refunded
part can no longer be used.`,
  'mail.refunded.to_card': 'Your bank shows the money within about ten days.',
  'mail.refunded.to_wallet': 'The seller sent the money to your wallet.',

  'mail.low.subject': '{shop}: {balance} of credit left',
  'mail.low.text': `Your credit at {shop}, {url}
is almost used up.

    Left              {balance}
    Plan              {plan}

Calls are refused when nothing is left. To buy credit or to turn on
automatic top-up:

{page}

{footer}`,

  'mail.refund_request.subject': '{shop}: a buyer requests a refund of {amount}',
  'mail.refund_request.text': `A buyer at {shop}, {url}
requests a refund.

    Purchase      {purchase}
    Account       {account}
    Plan          {plan}
    Paid          {paid}
    Requested     {requested}
    Unspent       {unspent}

The buyer's reason:

{reason}

To refund it or to decline it, with a reason that the buyer sees, open it in
the console:

{page}

Credit that the buyer has spent cannot be taken back: if you refund more
than the unspent amount, the difference is your loss.
`,
  'mail.refund_request.amount_and_tax': '{amount} and {tax} of tax',
} as const;
