import { html } from 'hono/html';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { words } from './figures.ts';

/** The name of an action, and its sentence: `@` is the subject, and `%` the amount, role, name or address that it is about. */
const actions: Readonly<Record<string, readonly [name: string, sentence: string]>> = {
  grant: ['Granted credit', 'Granted % to @'],
  refund: ['Refunded', 'Refunded % to @'],
  refund_by_hand: ['Refunded by hand', 'Recorded a refund of % to @'],
  refund_declined: ['Declined a refund', 'Declined the refund request of @'],
  frozen: ['Froze the account', 'Froze the account of @'],
  unfrozen: ['Unfroze the account', 'Unfroze the account of @'],
  plan_cancelled: ['Cancelled a plan', 'Cancelled the plan % of @'],
  erased: ['Erased an account', 'Erased the account @'],
  promotion_made: ['Created a code', 'Created the code @ for %'],
  promotion_ended: ['Ended a code', 'Ended the code @'],
  reload: ['Applied the catalogue', 'Applied the catalogue'],
  catalog_published: ['Published the catalogue', 'Published the catalogue'],
  operator_added: ['Added a person', 'Added @ as %'],
  operator_invited: ['Invited a person', 'Invited @ as %'],
  operator_removed: ['Removed a person', 'Removed @ from the team'],
  operator_role: ['Changed a role', 'Changed the role of @: %'],
  ledger_verified: ['Checked the books', 'Checked the books'],
  event_test_sent: ['Sent a test event', 'Sent a test event to @'],
  event_endpoint_added: ['Added an endpoint', 'Added the endpoint %'],
  event_endpoint_changed: ['Changed an endpoint', 'Changed the endpoint @'],
  event_endpoint_removed: ['Removed an endpoint', 'Removed the endpoint %'],
  event_endpoint_enabled: ['Enabled an endpoint', 'Enabled the endpoint @'],
  event_endpoint_disabled: ['Disabled an endpoint', 'Disabled the endpoint @'],
  event_secret_rotated: ['Renewed a webhook secret', 'Renewed the secret of the endpoint @'],
  event_hurried: ['Sent an event again', 'Sent the event % again to @'],
  events_replayed: ['Delivered events again', 'Delivered events again to @'],
  secret_rotated: ['Renewed a secret', 'Renewed the secret @'],
  signing_key_rotated: ['Renewed the signing key', 'Renewed the signing key: @'],
  signing_key_dropped: ['Dropped a signing key', 'Dropped the signing key @'],
  signed_in: ['Signed in', 'Signed in'],
  passkey_added: ['Added a passkey', 'Added a passkey of @'],
  passkey_removed: ['Removed a passkey', 'Removed a passkey of @'],
  passkey_refused: ['Refused a passkey', 'Refused a passkey of @'],
  oidc_linked: ['Linked single sign-on', 'Linked single sign-on of @'],
};

/** The sentences of actions that were not made, or perhaps not. */
const tried: Readonly<Record<string, string>> = {
  refund: 'Tried to refund % to @',
  plan_cancelled: 'Tried to cancel the plan % of @',
};

/** The name of an action, in the past tense. */
export function nameOfAct(act: string): string {
  return actions[act]?.[0] ?? words(capitalized(act));
}

/** The sentences about `what` that name it: the details do not repeat it. */
export function namesWhat(act: string): boolean {
  return actions[act]?.[1].includes('%') ?? false;
}

/** Describes an action in a sentence with a link to its subject. `isMade`: false for one that was not made, or perhaps not. */
export function sentence(act: string, subject: Html, what: string | Html | null, isMade: boolean): Html {
  const template = isMade ? actions[act]?.[1] : tried[act];
  if (template === undefined || (what === null && template.includes('%')))
    return html`${nameOfAct(act)}: ${subject}`;
  return html`${template.split(/([@%])/).map((part) => (part === '@' ? subject : part === '%' ? what : part))}`;
}
