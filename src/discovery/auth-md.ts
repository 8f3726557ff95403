import { type Offers, path } from '@sluice/kernel/endpoints';
import * as Money from '@sluice/kernel/money';
import * as Included from '../catalog/included.ts';
import { forSale, isTrialImmediate, type Plan } from '../catalog/plan.ts';
import * as AccessToken from '../identity/access-token.ts';
import * as Assertion from '../identity/assertion.ts';

/** Size limit of the text that an agent reads before its first call. */
export const guideBytesMax = 4096;
const plansMax = 6;
const nameCharsMax = 40;
const exampleCharsMax = 300;

export type Guide = {
  /** The shop's name. */
  name: string;
  publicUrl: string;
  plans: readonly Plan[];
  /** A sold operation for the example call; `body` is a JSON value, absent when the operation has no body. */
  example: { method: string; path: string; body?: unknown };
  offers: Offers;
};

/** Returns the text of /auth.md: how to register, call, renew, buy and revoke with curl. Markdown, at most `guideBytesMax`. */
export function render(guide: Guide): string {
  return [intro(guide), call(guide), buy(guide.plans), claim(guide.offers), end].filter(Boolean).join('\n\n');
}

const json = "-H 'content-type: application/json'";
const bearer = '-H "authorization: Bearer $ACCESS_TOKEN"';
const form = '--data-urlencode';
const hours = AccessToken.lifeSeconds / 3600;
const days = Assertion.lifeSeconds / 86_400;

function intro({ name, publicUrl, plans }: Guide): string {
  const trial = isTrialImmediate(plans) ? ' and the free trial `plan`' : '';
  return `# ${line(name)}: access for agents

You can register without a person and without payment. The shell lines below work as written.

\`\`\`sh
SHOP=${publicUrl}
\`\`\`

## 1. Register, once

\`\`\`sh
curl -sS "$SHOP${path.register}" ${json} -d '{"type":"anonymous"}'
\`\`\`

201 with \`access_token\` (${hours} h), \`identity_assertion\` (${days} days), \`account\`${trial}. Keep the assertion secret and safe: only it gives access to this account and its balance again. With a wallet instead: \`{"type":"wallet"}\`, sign the message of the 402. Registrations are limited per address; A 429 names the time of the next try, or a \`proof_of_work\` to solve and send.

\`\`\`sh
ACCESS_TOKEN=...          # access_token of the response
IDENTITY_ASSERTION=...    # identity_assertion of the response
\`\`\``;
}

function call({ example }: Guide): string {
  const body = example.body === undefined ? '' : JSON.stringify(example.body);
  const shown = body.length <= exampleCharsMax ? body : '{}';
  const data = body === '' ? '' : ` ${json} -d ${quoted(shown)}`;
  return `## 2. Call

\`\`\`sh
curl -sS -X ${example.method} "$SHOP${example.path}" ${bearer}${data}
\`\`\`

Every priced operation: \`$SHOP/services\`. Prices: \`$SHOP/manifest.json\`.

## 3. When the token has expired (401 \`token_invalid\`)

\`\`\`sh
curl -sS "$SHOP${path.token}" ${form} grant_type=${Assertion.grantType} ${form} "assertion=$IDENTITY_ASSERTION"
\`\`\`

200 with a new \`access_token\` and an \`identity_assertion\` that replaces the old one. \`invalid_grant\`: the assertion has expired or was revoked; register again.`;
}

function buy(plans: readonly Plan[]): string {
  const sold = forSale(plans);
  const [first] = sold;
  if (first === undefined) return '';
  const rest = sold.length > plansMax ? '\n- more in `$SHOP/manifest.json`' : '';
  const body = first.kind === 'credit' ? `{"amount_usd":"${Money.format(first.min)}"}` : '{}';
  return `## 4. Buy

${sold.slice(0, plansMax).map(offer).join('\n')}${rest}

\`\`\`sh
curl -sS "$SHOP/plans/${first.id}/purchase" ${bearer} ${json} -d '${body}'
\`\`\`

402 with the price, payment challenges in its headers, and \`checkout_url\`, a card page for a person. Pay, send the same request again with the payment proof, then call with the same token.`;
}

function offer(plan: Exclude<Plan, { kind: 'trial' }>): string {
  const name = `- \`${plan.id}\` ${line(plan.name)}`;
  switch (plan.kind) {
    case 'credit':
      return `${name}: prepaid, ${Money.format(plan.min)} to ${Money.format(plan.max)} USD`;
    case 'subscription':
      return `${name}: ${Money.format(plan.price)} USD a ${plan.every}, ${Included.describe(plan.included)} included`;
  }
}

function claim(offers: Offers): string {
  if (!offers.claim) return '';
  return `## Hand over to a person

With \`claim_token\` of step 1; the person receives a code by email and passes it on to you.

\`\`\`sh
curl -sS "$SHOP${path.claim}" ${json} -d '{"claim_token":"...","email":"..."}'
curl -sS "$SHOP${path.claimComplete}" ${json} -d '{"claim_token":"...","otp":"..."}'
\`\`\``;
}

const end = `## Revoke

\`\`\`sh
curl -sS "$SHOP${path.revoke}" ${form} "token=$ACCESS_TOKEN"
\`\`\`

Ends that token at once. With the assertion as \`token\`: all tokens issued from it. 200 in either case.

## When refused

401 \`bearer_required\`: step 1. 403 \`plan_required\`, 402 \`credit_exhausted\`: step 4; the body lists what to buy. 429: wait as \`Retry-After\` says. Refusals cost nothing.

OAuth metadata: \`$SHOP${path.authorizationServer}\`
`;

/** Returns catalogue text on one line, without characters that end a code span or start a heading. */
function line(text: string): string {
  return text
    .replace(/[\s`#<>]+/g, ' ')
    .trim()
    .slice(0, nameCharsMax)
    .toWellFormed();
}

/** Quotes a word for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
