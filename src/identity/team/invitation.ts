import { sha256Hex } from '@sluice/kernel/digest';
import { secret } from '@sluice/kernel/id';
import type { Texts } from '../../text/texts.ts';
import type { Rule } from '../registration.ts';
import type { Role } from './role.ts';

const invitationStates = ['open', 'accepted', 'declined', 'withdrawn'] as const;
export type InvitationState = (typeof invitationStates)[number];

const hourSeconds = 3_600;
const daySeconds = 86_400;
/** Mails to one mailbox in 24 hours: from one account, and from all. */
const perMailbox = { account: 3, all: 6 } as const;
/** Mails in 24 hours: per address block of the sender (narrowest first), and in total. */
export const dailyMax = { blocks: [60, 120, 240], all: 5_000 } as const;

/** The settings of teams (docs/settings.md). */
export type TeamLimits = {
  readonly invitationDays: number;
  readonly invitationsPerHour: number;
  readonly membersMax: number;
};

/** The token of an invitation link. */
export const newToken = () => secret('tin');
export const digest = sha256Hex;

/** Returns the limits of the mails that one account sends. `mailbox`: the keyed digest of the recipient's mailbox. */
export function accountRules(account: string, mailbox: string, { invitationsPerHour }: TeamLimits): Rule[] {
  return [
    { block: `account:${account}`, seconds: hourSeconds, max: invitationsPerHour },
    { block: `account:${account} ${mailbox}`, seconds: daySeconds, max: perMailbox.account },
  ];
}

/** Returns the limit of mails to one mailbox. Reaching it is not reported, because it would reveal invitations of other accounts. */
export function mailboxRule(mailbox: string): Rule {
  return { block: `mailbox:${mailbox}`, seconds: daySeconds, max: perMailbox.all };
}

export type NewInvitation = {
  id: string;
  account: string;
  /** The person who invites. */
  by: string;
  email: string;
  role: Role;
  digest: string;
  expiresMs: number;
  membersMax: number;
  /** Limits whose reaching is reported. */
  rules: readonly Rule[];
  /** A limit whose reaching is not reported. */
  quietRule: Rule;
};

export type InviteResult =
  /** `isMailed`: a mail may be sent. `inviter`: the address of the person who invites. */
  | { kind: 'invited'; id: string; isMailed: boolean; inviter: string }
  /** The person is in the account already. */
  | { kind: 'member' }
  /** The person declined an invitation that has not expired. */
  | { kind: 'declined' }
  | { kind: 'forbidden' }
  /** The account has the maximum number of persons and open invitations. */
  | { kind: 'full' }
  | { kind: 'limited'; retryAfterSeconds: number };

/** An invitation as the team sees it. */
export type ListedInvitation = {
  id: string;
  email: string;
  role: Role;
  state: InvitationState;
  /** The address of the person who sent it; null when they are gone. */
  inviter: string | null;
  sentMs: number;
  expiresMs: number;
};

/** An invitation as its recipient sees it. */
export type OpenInvitation = Pick<ListedInvitation, 'id' | 'email' | 'role' | 'inviter' | 'expiresMs'> & {
  account: string;
  /** The address of the owner of the account. */
  owner: string;
};

/** Names the account of an invitation. */
export function accountText(
  texts: Texts,
  { inviter, owner }: { inviter: string | null; owner: string },
): string {
  return inviter === owner
    ? texts.text('invitation.own_account')
    : texts.text('invitation.account_of', { email: owner });
}

export type AcceptResult =
  | { kind: 'accepted'; account: string; member: { id: string; role: Role }; epoch: number }
  /** It was used, withdrawn or declined, has expired, or never existed. */
  | { kind: 'gone' }
  /** It was sent to another address. */
  | { kind: 'other_address' }
  | { kind: 'full' };

/** As in `AcceptResult`; a declined invitation cannot be accepted any more. */
export type DeclineResult = 'declined' | 'gone' | 'other_address';
