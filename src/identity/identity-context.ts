import type { Clock } from '@sluice/kernel/clock';
import type { Accounts } from './account.ts';
import type { AccountKeys } from './account-key.ts';
import type { TokenVerifier } from './bearer.ts';
import type { ClaimService } from './claim.ts';
import type { Mailer, MailQueue, Outbox } from './mail.ts';
import type { ClientDocuments } from './oauth/client.ts';
import type { OAuthGrants } from './oauth/grants.ts';
import type { Admissions, TrustedAgent } from './registration.ts';
import type { Revocations } from './revocation-list.ts';
import type { TeamLimits } from './team/invitation.ts';
import type { Team } from './team/team.ts';
import type { Wallets } from './wallets.ts';
import type { AgentDirectories } from './web-bot-auth.ts';

/** The callers: accounts with their tokens and keys. */
export type IdentityContext = {
  /** The issuer of the tokens. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly tokenVerifier: TokenVerifier;
  readonly accounts: Accounts;
  readonly keys: AccountKeys;
  readonly revocations: Revocations;
  /** The persons of accounts. */
  readonly team: Team;
};

/** The ways to open an account, to sign in to it, and to connect an application to it. */
export type RegistrationContext = {
  /** Counts registrations by address and day. */
  readonly admissions: Admissions;
  /** Signs proof-of-work challenges; the same in all processes. */
  readonly workSecret: string;
  /** Lets people claim accounts by email; null when the shop has no mail. */
  readonly claiming: ClaimService | null;
  readonly wallets: Wallets;
  readonly teamLimits: TeamLimits;
  readonly oauth: OAuthGrants;
  /** Fetches the metadata documents of OAuth clients that are identified by a URL. */
  readonly clientDocuments: ClientDocuments;
  /** The agents that the seller trusts. */
  readonly trustedAgents: readonly TrustedAgent[];
  readonly agentDirectories: AgentDirectories;
};

/** Mail to people. */
export type MailContext = {
  /** Queues mail; null when the shop has no mail. */
  readonly mail: MailQueue | null;
  /** The queue, and the mail server that it is sent to; null when there is none. */
  readonly outbox: Outbox;
  readonly mailer: Mailer | null;
};
