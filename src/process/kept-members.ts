import { secret } from '@sluice/kernel/id';
import { openAccountKeys } from '../adapters/postgres/account-keys.ts';
import { openAccountMails } from '../adapters/postgres/account-mails.ts';
import * as Accounts from '../adapters/postgres/accounts.ts';
import { openAdmissions } from '../adapters/postgres/admissions.ts';
import { openBillingDetails } from '../adapters/postgres/billing-details.ts';
import { openCardAttempts } from '../adapters/postgres/card-attempts.ts';
import { openChargeProof } from '../adapters/postgres/charge-proof.ts';
import type * as Connection from '../adapters/postgres/connection.ts';
import { openConsole } from '../adapters/postgres/console.ts';
import { openSellerEvents } from '../adapters/postgres/events.ts';
import { openFees } from '../adapters/postgres/fees.ts';
import { openFraudSignals } from '../adapters/postgres/fraud-signals.ts';
import { openJobs } from '../adapters/postgres/jobs.ts';
import * as Notify from '../adapters/postgres/notify.ts';
import { openOauthGrants } from '../adapters/postgres/oauth-grants.ts';
import * as Operator from '../adapters/postgres/operator.ts';
import { openOperators } from '../adapters/postgres/operators.ts';
import * as Orders from '../adapters/postgres/orders.ts';
import { openOutbox } from '../adapters/postgres/outbox.ts';
import { openRefundRequests } from '../adapters/postgres/refund-requests.ts';
import { openResourceOwners } from '../adapters/postgres/resource-owners.ts';
import * as SchemaVersion from '../adapters/postgres/schema-version.ts';
import { openStoredResults } from '../adapters/postgres/stored-results.ts';
import { openSubscriptions } from '../adapters/postgres/subscriptions.ts';
import { openTeam } from '../adapters/postgres/team.ts';
import { openTopUpConsents } from '../adapters/postgres/top-up-consents.ts';
import { openTopUps } from '../adapters/postgres/top-ups.ts';
import { openUsage } from '../adapters/postgres/usage.ts';
import { openWallets } from '../adapters/postgres/wallets.ts';
import type { Config } from '../config.ts';
import { openStoredSecrets } from '../identity/stored-secret.ts';
import type { Shop } from '../journeys/shop.ts';
import * as BufferBudget from '../proxy/buffer-budget.ts';
import * as RateLimit from '../proxy/rate-limit.ts';
import { RunningCalls } from '../proxy/running-calls.ts';
import type { UncountableCounts } from '../proxy/uncountable.ts';
import { UnpaidCalls } from '../proxy/unpaid-calls.ts';
import { WithheldCalls } from '../proxy/withheld-calls.ts';
import { countingAboveHold } from './above-hold.ts';
import type * as SharedSecrets from './shared-secrets.ts';

/** Members that each revision creates: they depend on the catalogue and on reloadable settings. */
type Renewed =
  | 'catalog'
  | 'texts'
  | 'isTaxed'
  | 'catalogDigest'
  | 'description'
  | 'document'
  | 'advisor'
  | 'reference'
  | 'claiming'
  | 'trustedAgents'
  | 'cardLimits'
  | 'teamLimits'
  | 'mail'
  | 'mailer'
  | 'processor'
  | 'acceptedTokens'
  | 'proofs'
  | 'requiredProofs'
  | 'networkId'
  | 'rails'
  | 'upstream'
  | 'consoleSignIn'
  | 'attentionLimits';

/** The members of the shop that outlive a revision. */
export type Kept = Omit<Shop, Renewed>;

export type KeptParts = Pick<
  Kept,
  | 'clock'
  | 'tokenVerifier'
  | 'revocations'
  | 'idempotencyKeys'
  | 'clientDocuments'
  | 'agentDirectories'
  | 'writer'
  | 'tracer'
  | 'uncountableRecord'
  | 'report'
  | 'callLimit'
> & {
  config: Config;
  sql: Connection.Connection;
  /** For reports, which may read a standby. */
  reportSql: Connection.Connection;
  secrets: SharedSecrets.SharedSecrets;
  uncountable: UncountableCounts;
};

/** Opens the members of the shop that outlive a revision. */
export async function openKept({
  config,
  sql,
  reportSql,
  secrets,
  uncountable,
  ...parts
}: KeptParts): Promise<Kept> {
  const { clock } = parts;
  const report = countingAboveHold(parts.report, uncountable);
  return {
    ...parts,
    report,
    publicUrl: config.publicUrl,
    chargeProblem: openChargeProof(sql, (reason) => report('charge_not_proved', { reason })),
    schemaProblem: SchemaVersion.watch(sql),
    accounts: Accounts.openAccounts(sql),
    admissions: openAdmissions(sql),
    workSecret: await Accounts.sharedSecret(sql, 'proof-of-work', secret('pow')),
    oauth: openOauthGrants(sql),
    outbox: openOutbox(sql),
    keys: openAccountKeys(sql),
    usage: openUsage(sql),
    statements: Accounts.openStatements(sql),
    storedResults: openStoredResults(sql),
    orders: Orders.openOrders(sql, config.writer),
    subscriptions: openSubscriptions(sql),
    fees: openFees(sql),
    topUps: openTopUps(sql, config.writer),
    billingDetails: openBillingDetails(sql),
    consents: openTopUpConsents(sql),
    accountMails: openAccountMails(sql),
    creditGrants: Operator.openGifts(sql),
    promotions: Operator.openPromotions(sql),
    audit: Operator.openAudit(sql),
    console: {
      ...(await openConsole(sql, reportSql, config.databaseUrl, secret('con'))),
      events: openSellerEvents(sql, openStoredSecrets(config.events.keys)),
      endpointRules: config.events.allows,
    },
    operators: openOperators(sql, config.console.oidc !== null),
    refundRequests: openRefundRequests(sql),
    fraudSignals: openFraudSignals(sql),
    cardAttempts: openCardAttempts(sql),
    webhookEvents: Orders.openWebhookEvents(sql),
    verifications: RateLimit.create(),
    challengeSecrets: secrets.challenges,
    wallets: openWallets(sql),
    team: openTeam(sql),
    resourceOwners: openResourceOwners(sql),
    jobs: openJobs(sql),
    held: BufferBudget.create(),
    unpaid: new UnpaidCalls(clock, config.unpaidCalls),
    withheld: new WithheldCalls(clock, config.withheldCallsMax),
    runningCalls: new RunningCalls(clock, (key) => {
      // Without the database, the call of another process runs to its end.
      Notify.tellCancellation(sql, key).catch(() => undefined);
    }),
    uncountable(found) {
      uncountable.add(found);
      report('response_uncountable', found);
    },
  };
}
