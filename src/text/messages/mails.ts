/** Mails in plain text. Their lines are broken by hand, because mail programs do not agree on how to break them. */
export const mails = {
  'mail.claim.subject': 'Your code for {shop}',
  'mail.claim.text': `Your code to claim an account at
{shop}, {url}

    {code}

Enter it on the page where you asked for it, or give it to the agent that
asked you for it. It works once and expires in {minutes} minutes.

{effect}

If you did not expect this email, ignore it and do not share the code.
`,
  'mail.claim.merges': `You already have an account here. The claimed account is merged into
it: its balance is added to yours, and an agent that uses it can spend
your balance.`,
  'mail.claim.owns': `The account and its balance become yours. An agent that uses the
account keeps its access.`,

  'mail.sign_in.subject': 'Sign in to {shop}',
  'mail.sign_in.text': `Someone asked to sign in with this address at
{shop}, {url}

If it was you, open this link in the browser in which you asked for it:

{link}

It works once, for {minutes} minutes. Another browser must enter this
address first.

If it was not you, ignore this mail and do not share the link.
`,
  'mail.no_account.subject': 'No account at {shop}',
  'mail.no_account.text': `Someone asked to sign in with this address at
{shop}, {url}

No account there has this address. If it was you, try another address or
start for free at {start}

If it was not you, you can ignore this mail.
`,

  'mail.past_due.subject': '{shop}: the renewal of {plan} was not paid',
  'mail.past_due.text': `The plan {plan} at {shop}, {url}
could not be renewed: your card was declined, or your bank asks you to
confirm the payment.
{pay}
To view or cancel the plan:

{page}

If you do nothing, the card is charged again. If that fails too, the plan
ends.
`,
  'mail.past_due.pay': `
To pay with this card or another one, or to confirm with your bank:

{link}
`,

  'mail.plans.subject': 'Your plans at {shop}',
  'mail.plans.text': `You, or someone else, asked for the plans that are paid with this address at
{shop}, {url}

To view or cancel a plan, open its link:

{plans}
If you did not ask for this mail, ignore it. Do not share the links: they give access to
these plans.
`,
  'mail.plans.plan': `{plan}, until {day}:
{page}
`,

  'mail.charge.subject': '{shop} charged your card {amount}',
  'mail.charge.text': `Your card was charged at {shop}, {url}

    Amount            {amount}
{tax}    Card              {card}
    Account           {account}
    Purchase          {purchase}
    This month        {month} of at most {monthly_max}

You agreed to this on {day}: {agreed} each time the
credit of the account falls below {below}.

To cancel it, or to read the terms that you agreed to:

{page}
`,
  'mail.charge.tax': `    Tax               {tax}
`,
  'mail.charge.card': 'card',

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

To refund it:

    {refund}

To decline, with a reason that the buyer sees:

    {decline}

Both need the admin token as a bearer token. Credit that the buyer has
spent cannot be taken back: if you refund more than the unspent amount,
the difference is your loss.
`,
  'mail.refund_request.amount_and_tax': '{amount} and {tax} of tax',
} as const;
