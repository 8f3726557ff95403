import { path as identity } from '@sluice/kernel/endpoints';
import type { Catalog } from '../catalog/catalog.ts';
import type { Figure } from '../catalog/response-field.ts';
import * as Assertion from '../identity/assertion.ts';
import { path } from './paths.ts';

/** The shop whose use is explained; `baseUrl` is its public origin. */
type Explained = { catalog: Catalog; baseUrl: string };

const meanings: Readonly<Record<Figure, string>> = {
  units: 'units charged for this call',
  units_remaining: 'units that you can still buy, included ones and those that your credit pays for',
  cost_usd: 'the cost of this call',
  balance_usd: 'your credit',
  requests_per_second: 'your rate limit',
  requests_remaining: 'calls left in this second',
  resets_at: 'when your included units are renewed',
};

/** Returns what callers most often get wrong, in Markdown: expired tokens, unlimited cost, figures in bodies, and empty results. */
export function section(explained: Explained): string {
  return `## Four common mistakes

- **The token ends after an hour.** A 401 \`token_invalid\` is no reason to register again, which would leave your balance behind. Exchange the assertion, and keep the new one that is returned:

   \`\`\`sh
   curl -sS ${explained.baseUrl}${identity.token} --data-urlencode grant_type=${Assertion.grantType} --data-urlencode 'assertion=<identity_assertion>'
   \`\`\`

- **A price without a ceiling.** ${ceilings(explained)}
- **Whose figures a body contains.** ${figures(explained)}
- **An empty result.** ${emptyResult(explained)}
`;
}

/** The same in one line each, for a text that is mostly links. */
export function lines(explained: Explained): string {
  const { baseUrl } = explained;
  return [
    `- Renewal: the token ends after an hour; \`POST ${baseUrl}${identity.token}\` with the \`identity_assertion\` returns the next token and the next assertion. Do not register again: the balance stays with the old account.`,
    `- Ceilings: ${ceilings(explained)}`,
    `- Figures: ${figures(explained)}`,
    `- Empty results: ${emptyResult(explained)}`,
  ].join('\n');
}

function ceilings({ baseUrl }: Explained): string {
  return `\`Storefront-Max-Cost: 0.010\` on a call refuses it before it is made if it could cost more than 0.010 USD (402 \`price_ceiling\`); over MCP the argument \`storefront.max_cost_usd\`. A key with \`budget_usd\` (\`POST ${baseUrl}/account/keys\`) limits all calls together. The limit of results in the request limits the cost too.`;
}

function figures({ catalog, baseUrl }: Explained): string {
  const own = catalog.upstream.responseFields.flatMap(({ pointer, value }) =>
    value === 'remove' ? [] : [`\`${pointer.join('.')}\` is ${meanings[value]}`],
  );
  const yours =
    own.length === 0
      ? 'Limits and balances in a body are those of the API, not yours.'
      : `They are yours: ${own.join('; ')}. They count units, not dollars.`;
  return `${yours} Your money is in the header \`storefront-balance-usd\` (\`curl -i\` shows it) and in \`GET ${baseUrl}${path.account}\`.`;
}

function emptyResult({ baseUrl }: Explained): string {
  return `It is free, so try again with less: first replace exact names, titles and phrases by shorter ones, then remove the narrowest filter, one at a time; keep what the task requires. Values of lists must be spelled as the description spells them. Still empty: state the goal in other words at \`${baseUrl}${path.guide}?goal=...\`. Never call with the values of an example instead.`;
}
