import Stripe from 'stripe';
import { needed } from '../../adapters/stripe/notice.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.of('cards');
const { errors } = Stripe;
const endpointsMax = 100;

export type Settings = {
  secretKey: string;
  apiBase: string;
  networkId: string;
  publicUrl: string;
  /** The card sandbox, which `sluice start` runs: its notices go to the shop's own address on this machine. */
  sandbox: { shopUrl: string } | null;
};

/** The key and its account, the notices, the profile: by reading alone, nothing is charged or changed. */
export async function look(settings: Settings): Promise<Finding.Finding[]> {
  const base = new URL(settings.apiBase);
  const stripe = new Stripe(settings.secretKey, {
    host: base.hostname,
    protocol: base.protocol === 'http:' ? 'http' : 'https',
    ...(base.port !== '' && { port: base.port }),
    timeout: Finding.answerMsMax,
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const account = await reach(stripe, settings);
  // What does not let us in says nothing more, and a restricted key may still read its endpoints.
  if (account.state === 'problem' || (settings.sandbox && account.state !== 'ok')) return [account];
  return [account, await notices(stripe, settings), network(settings)];
}

async function reach(stripe: Stripe, { secretKey, apiBase, sandbox }: Settings): Promise<Finding.Finding> {
  const mode = /^[sr]k_live_/.test(secretKey) ? 'live' : 'test';
  try {
    const { id, charges_enabled } = await stripe.accounts.retrieveCurrent();
    if (!charges_enabled)
      return problem(
        `the ${mode} key opens ${id}, which may not charge cards yet`,
        'finish the account in the dashboard of Stripe',
      );
    return ok(sandbox ? `play money: the card sandbox, ${id}` : `the ${mode} key opens ${id}`);
  } catch (fault) {
    if (fault instanceof errors.StripeAuthenticationError)
      return problem(
        `the ${mode} key is refused: ${fault.message}`,
        'STRIPE_SECRET_KEY from the dashboard, Developers, API keys',
      );
    if (fault instanceof errors.StripePermissionError)
      return unproved(
        `the ${mode} key is restricted and may not read its account`,
        'it needs to write payment intents, checkout sessions, customers, subscriptions and refunds',
      );
    if (sandbox) return unproved(`the card sandbox at ${apiBase} does not run`, 'sluice start runs it');
    return problem(`${apiBase} does not answer: ${Finding.reason(fault)}`);
  }
}

async function notices(stripe: Stripe, { publicUrl, sandbox }: Settings): Promise<Finding.Finding> {
  const wanted = `${sandbox?.shopUrl ?? publicUrl}/webhooks/stripe`;
  const how = `add an endpoint for ${wanted} with the events ${needed.join(', ')}; its signing secret is STRIPE_WEBHOOK_SECRET`;
  try {
    const { data } = await stripe.webhookEndpoints.list({ limit: endpointsMax });
    const found = data.filter(({ url }) => url.replace(/\/+$/, '') === wanted);
    const open = found.find(({ status }) => status === 'enabled');
    if (open === undefined)
      return found.length > 0
        ? problem(`its notices to ${wanted} are disabled`, 'enable the endpoint in the dashboard')
        : problem(`no notices go to ${wanted}`, how);
    const heard: readonly string[] = open.enabled_events;
    const missing = heard.includes('*') ? [] : needed.filter((event) => !heard.includes(event));
    return missing.length === 0
      ? ok(`notices of all ${needed.length} events go to ${wanted}`)
      : problem(`no notices go out of ${missing.join(', ')}`, `add them to the endpoint ${open.id}`);
  } catch (fault) {
    return unproved(`whether notices go to ${wanted}: ${Finding.reason(fault)}`, how);
  }
}

/** The API shows no profile, so only its mode can be judged. */
function network({ secretKey, networkId, sandbox }: Settings): Finding.Finding {
  const isTest = networkId.startsWith('profile_test_');
  if (!networkId.startsWith('profile_'))
    return problem(`STRIPE_NETWORK_ID=${networkId} is no profile`, 'profile_... from the dashboard');
  if (isTest === /^[sr]k_live_/.test(secretKey))
    return problem('STRIPE_NETWORK_ID and STRIPE_SECRET_KEY are of different modes, test and live');
  if (sandbox) return ok(`agents pay to ${networkId}`);
  return unproved(
    `whether agents can pay to ${networkId}: it cannot be read`,
    'one purchase by an agent proves it (README.md, mppx)',
  );
}
