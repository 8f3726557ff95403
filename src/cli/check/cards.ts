import * as Money from '@sluice/kernel/money';
import Stripe from 'stripe';
import { keyMode } from '../../adapters/stripe/key-mode.ts';
import * as SharedToken from '../../adapters/stripe/shared-token.ts';
import { needed } from '../../adapters/stripe/webhook-event.ts';
import * as Finding from './finding.ts';
import * as StripeFault from './stripe-fault.ts';
import { checkPermissions } from './stripe-permissions.ts';

const { ok, problem, unproved } = Finding.findingsOf('cards');
const { errors } = Stripe;
const endpointsMax = 100;
/** Amounts from here on are above Stripe's minimum in every currency that accounts commonly settle in. */
const safeAmount = Money.ofCents(100);
/** The first API version in which an invoice names its subscription where the shop reads it. */
const oldestVersion = '2025-03-31';

export type Settings = {
  secretKey: string;
  apiBase: string;
  /** The shop's profile in Stripe's agent network; empty when agents cannot pay by shared payment token. */
  networkId: string;
  /** The API version under which shared payment tokens are charged. */
  sharedTokenVersion?: string;
  /** True when the catalogue has Stripe add tax. */
  isTaxed?: boolean;
  /** The smallest amount that a card can be charged at the catalogue's prices; null when it sells nothing. */
  amountMin?: Money.Money | null;
  publicUrl: string;
  /** Set for the card sandbox that `sluice start` runs. Its events go to the shop's own address on this machine. */
  sandbox: { shopUrl: string } | null;
};

/** Checks the key, its account and permissions, the webhook endpoint and the network profile. Only reads: nothing is charged or changed. */
export async function checkCards(settings: Settings): Promise<Finding.Finding[]> {
  const base = new URL(settings.apiBase);
  const stripe = new Stripe(settings.secretKey, {
    host: base.hostname,
    protocol: base.protocol === 'http:' ? 'http' : 'https',
    ...(base.port !== '' && { port: base.port }),
    timeout: Finding.answerMsMax,
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const account = await readAccount(stripe, settings);
  if (!account.isUsable) return account.findings;
  return [
    ...account.findings,
    ...(await checkPermissions(stripe)),
    ...(settings.isTaxed ? [await tax(stripe), ...(await taxPermission(stripe))] : []),
    await webhookEndpoint(stripe, settings),
    await network(stripe, settings),
  ];
}

/** `isUsable`: false when no other request can succeed. A restricted key may read other objects than its account. */
type AccountRead = { isUsable: boolean; findings: Finding.Finding[] };

async function readAccount(stripe: Stripe, settings: Settings): Promise<AccountRead> {
  const mode = keyMode(settings.secretKey);
  try {
    return { isUsable: true, findings: judgeAccount(await stripe.accounts.retrieveCurrent(), settings) };
  } catch (fault) {
    if (fault instanceof errors.StripeAuthenticationError)
      return unusable(
        problem(
          `Stripe rejects the ${mode} key: ${fault.message}`,
          'copy STRIPE_SECRET_KEY from the Stripe dashboard: Developers, API keys',
        ),
      );
    if (fault instanceof errors.StripePermissionError)
      return usable(
        unproved(
          `the ${mode} key is restricted and cannot read its account`,
          'docs/go-live.md lists the permissions that it needs',
        ),
      );
    if (fault instanceof errors.StripeRateLimitError)
      return usable(
        unproved(`the account could not be read. ${StripeFault.describe(fault)}`, 'run the check again'),
      );
    if (!(fault instanceof errors.StripeConnectionError))
      return unusable(
        problem(
          `the account could not be read. ${StripeFault.describe(fault)}`,
          'look at https://status.stripe.com, then run the check again',
        ),
      );
    if (settings.sandbox)
      return unusable(
        unproved(`the card sandbox at ${settings.apiBase} is not running`, 'sluice start runs it'),
      );
    return unusable(
      problem(
        `${settings.apiBase} does not respond: ${StripeFault.describe(fault)}`,
        'check STRIPE_API_BASE and the outgoing network of this machine',
      ),
    );
  }
}

const usable = (finding: Finding.Finding): AccountRead => ({ isUsable: true, findings: [finding] });
const unusable = (finding: Finding.Finding): AccountRead => ({ isUsable: false, findings: [finding] });

/** Returns a finding for each restriction of the account. */
function judgeAccount(
  account: Stripe.Account,
  { secretKey, sandbox, amountMin = null }: Settings,
): Finding.Finding[] {
  const { id, charges_enabled, payouts_enabled, default_currency: currency } = account;
  const opens = `the ${keyMode(secretKey)} key opens ${id}`;
  const next = 'complete the account in the Stripe dashboard';
  const findings: Finding.Finding[] = [];
  if (!charges_enabled) findings.push(problem(`${opens}, which cannot charge cards yet`, next));
  if (!payouts_enabled) findings.push(problem(`${opens}, which cannot pay out what it receives`, next));
  const settles = `${opens}, which settles in ${currency?.toUpperCase()}`;
  const isSafe = amountMin !== null && amountMin >= safeAmount;
  if (currency && currency !== 'usd' && isSafe)
    findings.push(
      ok(`${settles}; the smallest price, ${Money.format(amountMin)} USD, is above Stripe's minimum`),
    );
  else if (currency && currency !== 'usd')
    findings.push(
      unproved(
        `${settles}: Stripe's minimum charge is in that currency`,
        'set the minimum of credit plans (`min_usd`) to 1.00 or more, so that no payment is refused as too small',
      ),
    );
  return findings.length > 0
    ? findings
    : [ok(sandbox ? `simulated payments: the card sandbox, ${id}` : opens)];
}

async function webhookEndpoint(stripe: Stripe, { publicUrl, sandbox }: Settings): Promise<Finding.Finding> {
  const wanted = `${sandbox?.shopUrl ?? publicUrl}/webhooks/stripe`;
  const how = `add a webhook endpoint for ${wanted} with the events ${needed.join(', ')}; its signing secret is STRIPE_WEBHOOK_SECRET`;
  try {
    const { data } = await stripe.webhookEndpoints.list({ limit: endpointsMax });
    const found = data.filter(({ url }) => url.replace(/\/+$/, '') === wanted);
    const enabled = found.find(({ status }) => status === 'enabled');
    if (enabled !== undefined) return judgeEndpoint(enabled, wanted);
    return found.length > 0
      ? problem(
          `the webhook endpoint for ${wanted} is disabled`,
          'enable the endpoint in the Stripe dashboard',
        )
      : problem(`no webhook endpoint sends events to ${wanted}`, how);
  } catch (fault) {
    const reason =
      fault instanceof errors.StripePermissionError
        ? 'the key has no permission to read Webhook Endpoints'
        : StripeFault.describe(fault);
    return unproved(`whether events are sent to ${wanted}: ${reason}`, how);
  }
}

function judgeEndpoint(
  { id, api_version: version, enabled_events }: Stripe.WebhookEndpoint,
  wanted: string,
): Finding.Finding {
  if (version !== null && version < oldestVersion)
    return problem(
      `the webhook endpoint ${id} uses API version ${version}, whose events do not name the subscription of a failed renewal`,
      `create a new endpoint for ${wanted} with API version ${oldestVersion} or later`,
    );
  const sent: readonly string[] = enabled_events;
  const missing = sent.includes('*') ? [] : needed.filter((event) => !sent.includes(event));
  return missing.length === 0
    ? ok(`all ${needed.length} events are sent to ${wanted}`)
    : problem(`the webhook endpoint ${id} does not send ${missing.join(', ')}`, 'add these events to it');
}

/** Checks that Stripe Tax is active. Without it Stripe refuses every card page of a taxed shop. */
async function tax(stripe: Stripe): Promise<Finding.Finding> {
  try {
    const { status } = await stripe.tax.settings.retrieve();
    return status === 'active'
      ? ok('Stripe Tax is active; it covers card payments only, so account for tax on dollar tokens yourself')
      : problem(
          `storefront.tax is stripe, but Stripe Tax is ${status}`,
          'complete Tax in the Stripe dashboard: head office, registrations, default tax code',
        );
  } catch (fault) {
    const next =
      fault instanceof errors.StripePermissionError
        ? 'give the restricted key the permission to read Tax Settings, or look at Tax in the Stripe dashboard'
        : 'look at Tax in the Stripe dashboard';
    return unproved(`whether Stripe Tax is active: ${StripeFault.describe(fault)}`, next);
  }
}

/**
 * Returns a problem when the key may not calculate tax. The request names no customer, so a key with the permission gets a 400 and nothing
 * is calculated. Reading would prove nothing, because a restricted key can read calculations and still not create them.
 */
async function taxPermission(stripe: Stripe): Promise<Finding.Finding[]> {
  try {
    await stripe.tax.calculations.create({
      currency: 'usd',
      line_items: [{ amount: 100, reference: 'check' }],
    });
    return [];
  } catch (fault) {
    if (fault instanceof errors.StripeInvalidRequestError) return [];
    if (fault instanceof errors.StripePermissionError)
      return [
        problem(
          'the key has no permission for Tax Calculations, so card tokens cannot be charged with tax',
          'give the restricted key the permission to write Tax Calculations in the Stripe dashboard (docs/go-live.md)',
        ),
      ];
    return [unproved(`whether the key can calculate tax: ${StripeFault.describe(fault)}`)];
  }
}

/** Checks the network profile. The API cannot read a profile, so only its form, its mode and the account's access to tokens are known. */
async function network(stripe: Stripe, settings: Settings): Promise<Finding.Finding> {
  const { secretKey, networkId, sandbox } = settings;
  if (networkId === '')
    return ok(
      'STRIPE_NETWORK_ID is not set: agents cannot pay by card token; card pages and the other rails work',
    );
  if (!networkId.startsWith('profile_'))
    return problem(
      `STRIPE_NETWORK_ID=${networkId} is not a profile id`,
      'copy profile_... from the Stripe dashboard',
    );
  const isTest = networkId.startsWith('profile_test_');
  if (isTest === (keyMode(secretKey) === 'live'))
    return problem(
      'STRIPE_NETWORK_ID and STRIPE_SECRET_KEY are of different modes: one is live, the other test',
      'use the profile and the key of the same mode',
    );
  const refusal = await tokenRefusal(stripe, settings.sharedTokenVersion);
  if (refusal !== null)
    return unproved(
      `whether this account can charge agents' payment tokens: ${refusal}`,
      'enable agentic commerce in the Stripe dashboard, or leave STRIPE_NETWORK_ID empty',
    );
  if (sandbox) return ok(`agents pay to ${networkId}`);
  return unproved(
    `whether agents can pay to ${networkId}: the API cannot read profiles`,
    'make one purchase by an agent (README.md, mppx)',
  );
}

/** Asks for a token that does not exist. Null when Stripe answers that it is missing: the account then has the preview of tokens. */
async function tokenRefusal(stripe: Stripe, version = SharedToken.versionDefault): Promise<string | null> {
  const path = '/v1/shared_payment/granted_tokens/spt_sluice_check';
  try {
    await stripe.rawRequest('GET', path, undefined, { apiVersion: version });
    return null;
  } catch (fault) {
    const isMissing = fault instanceof errors.StripeError && fault.code === 'resource_missing';
    return isMissing ? null : StripeFault.describe(fault);
  }
}
