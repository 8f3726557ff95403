import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { html } from 'hono/html';
import type { Operator, OperatorSession, Passkey } from '../../../identity/operators/operator.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { confirmation } from './confirmation.ts';
import { moment, sign, table } from './figures.ts';
import { mePath } from './frame.ts';
import { passkeyNameField } from './login-page.ts';
import * as PasskeyScript from './passkey-script.ts';

export type MeFacts = {
  operator: Operator;
  passkeys: readonly Passkey[];
  sessions: readonly OperatorSession[];
  /** The digest of the session of this browser. */
  current: string | null;
  options: PublicKeyCredentialCreationOptionsJSON | null;
  result: FormResult;
  /** The name of the browser and its system, for a new passkey. */
  device: string;
};

/** The person's own passkeys and sessions. */
export function me({ operator, passkeys, sessions, current, options, result, device }: MeFacts): Html {
  return html`<h1>${operator.name}</h1>
<p class="lead">${operator.email}, ${operator.role}</p>
${resultLine(result)}
<section aria-labelledby="passkeys"><h2 id="passkeys">Passkeys</h2>
${passkeys.length === 0 ? html`<p class="note">You have no passkey. Add one before you sign out, or you cannot sign in with one again.</p>` : table('Passkeys', ['Name', { bare: 'Kind' }, 'Added', 'Last used', { bare: '' }], passkeys.map(passkeyRow))}${passkeys.length === 1 ? html`<p class="soft">Add another passkey before you remove this one. The only one is kept, unless you sign in with single sign-on.</p>` : ''}
${
  options === null
    ? html`<p class="note">Passkeys need a public URL with a host name and https.</p>`
    : html`<h3>Add a passkey</h3><form class="narrow" method="post" action="${mePath}" data-passkey="create" data-options="${JSON.stringify(options)}"><input type="hidden" name="act" value="passkey_add">${passkeyNameField(device)}${PasskeyScript.parts()}<button>Add passkey</button></form>`
}</section>
<section aria-labelledby="sessions"><h2 id="sessions">Sessions</h2>
${table(
  'Sessions',
  ['Browser', { bare: 'Address' }, 'Signed in', 'Last used', 'Ends', ''],
  sessions.map((one) => sessionRow(one, current)),
)}
${sessions.length > 1 ? html`<form method="post" action="${mePath}"><input type="hidden" name="act" value="sessions_end"><button class="plain">Sign out all other sessions</button></form>` : ''}</section>`;
}

/** Asks before a passkey is removed. */
export function confirmRemoval({ id, name, createdMs, usedMs }: Passkey): Html {
  return confirmation({
    question: `Remove the passkey ${name}?`,
    subject: 'Passkey',
    facts: [
      ['Name', name],
      ['Added', moment(createdMs)],
      ['Last used', usedMs === null ? 'not since it was added' : moment(usedMs)],
    ],
    effects: [
      'It no longer signs in to this console.',
      'Your sessions in other browsers end. This one stays signed in.',
      'Your device still lists it. Delete it there, too.',
    ],
    action: mePath,
    fields: html`<input type="hidden" name="act" value="passkey_remove"><input type="hidden" name="id" value="${id}">`,
    button: 'Remove passkey',
    back: mePath,
  });
}

function passkeyRow({ id, name, isBackedUp, createdMs, usedMs }: Passkey): Html {
  return html`<tr><th scope="row">${name}</th><td>${isBackedUp ? 'synchronized' : 'this device only'}</td><td>${moment(createdMs)}</td><td>${usedMs === null ? 'not since it was added' : moment(usedMs)}</td>
<td><a class="danger" href="${mePath}/passkeys/${id}/remove">Remove<span class="hidden"> ${name}</span></a></td></tr>`;
}

function sessionRow(
  { digest, address, device, createdMs, usedMs, expiresMs }: OperatorSession,
  current: string | null,
): Html {
  return html`<tr><th scope="row">${device ?? 'Unknown browser'} ${digest === current ? sign('this browser', 'past') : ''}</th><td>${address}</td><td>${moment(createdMs)}</td><td>${moment(usedMs)}</td><td>${moment(expiresMs)}</td>
<td>${digest === current ? '' : html`<form method="post" action="${mePath}"><input type="hidden" name="act" value="session_end"><input type="hidden" name="id" value="${digest}"><button class="quiet danger" aria-label="Sign out ${device ?? 'Unknown browser'}">Sign out</button></form>`}</td></tr>`;
}
