import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { html, raw } from 'hono/html';
import type { Operator } from '../../../identity/operators/operator.ts';
import type { Html } from '../../pages/frame.ts';
import * as PasskeyScript from './passkey-script.ts';

export type LoginFacts = {
  /** The path to open after the sign-in, with its query. */
  to: string;
  problem: string | null;
  /** A message that is no problem, such as the end of the session. */
  notice: string | null;
  /** True after a wrong admin token: its field is marked. */
  isTokenWrong: boolean;
  /** The options for a passkey; null when none can be used. */
  options: PublicKeyCredentialRequestOptionsJSON | null;
  hasOidc: boolean;
  acceptsToken: boolean;
  /** True while no owner can sign in without the admin token. */
  isFirst: boolean;
};

/** The login page of the console. */
export function login(facts: LoginFacts): Html {
  const { to, problem, notice, isTokenWrong, options, hasOidc, acceptsToken, isFirst } = facts;
  const token = tokenForm(to, isTokenWrong ? problem : null, isFirst && options === null);
  const oidc = (isPlain: boolean) =>
    html`<form method="post" action="/admin/console/oidc/start"><input type="hidden" name="to" value="${to}"><button class="${isPlain ? 'plain' : ''}">Sign in with single sign-on</button></form>`;
  const isAbove = problem !== null && !(isTokenWrong && acceptsToken);
  return html`<section class="entry"><h1>Sign in</h1>
${isAbove ? html`<p class="note" role="alert">${problem}</p>` : notice === null ? '' : html`<p class="soft" role="status">${notice}</p>`}
${acceptsToken && isFirst && options === null ? token : ''}${
  options === null
    ? ''
    : html`<form method="post" action="/admin/console/sign-in/passkey" data-passkey="get" data-options="${JSON.stringify(options)}"><input type="hidden" name="to" value="${to}">
<p class="soft">Use the passkey of this device, your phone or a security key.</p>${PasskeyScript.parts()}<button>Sign in with a passkey</button></form>`
}
${hasOidc ? oidc(options !== null || isFirst) : ''}${options === null ? '' : lostPasskey}
${acceptsToken && isFirst && options !== null ? token : ''}${!acceptsToken || isFirst ? '' : html`<details ${isTokenWrong ? 'open' : ''}><summary>Use the admin token</summary>${token}</details>`}</section>`;
}

const lostPasskey = html`<details><summary>Lost your passkey?</summary><p class="soft">Ask an owner of the shop for a new link: they make it under Team, with “New invitation link”.</p><p class="soft">Are you the only owner? Make the link yourself on the server of the shop, with your address: <code>npx sluice operators invite ada@example.com</code></p></details>`;

/** The form for the admin token; `isOnly`: it is the usual way to sign in. */
function tokenForm(to: string, fault: string | null, isOnly: boolean): Html {
  return html`<form method="post" action="/admin/console/sign-in"><input type="hidden" name="to" value="${to}">
<label for="token">Admin token</label><input id="token" name="token" type="password" autocomplete="current-password" autocapitalize="off" spellcheck="false" required${fault === null ? '' : raw(' aria-invalid="true" autofocus')} aria-describedby="${fault === null ? '' : 'token-fault '}token-hint">${fault === null ? '' : html`<p class="fault" id="token-fault" role="alert">${fault}</p>`}<p class="hint" id="token-hint">You stay signed in for eight hours.</p>
<button class="${isOnly ? '' : 'plain'}">Sign in</button></form>
<details><summary>Where is the token?</summary><p class="soft">It is the setting <code>ADMIN_TOKEN</code>, or the one that <code>npm start</code> showed once. If that one is lost, delete <code>secrets/admin-token.sha256</code> in the data folder and restart the shop: it shows a new token.</p></details>`;
}

export type InvitationFacts = {
  operator: Operator;
  /** The name of the shop, and its address without the scheme. */
  shop: string;
  host: string;
  options: PublicKeyCredentialCreationOptionsJSON | null;
  hasOidc: boolean;
  problem: string | null;
  path: string;
  /** The name of the browser and its system; empty if unknown. */
  device: string;
};

/** The page of an invitation link. */
export function invitation(facts: InvitationFacts): Html {
  const { operator, shop, host, options, hasOidc, problem, path, device } = facts;
  return html`<section class="entry"><h1>Welcome, ${operator.name}</h1>
${problem === null ? '' : html`<p class="note" role="alert">${problem}</p>`}
<p>You were invited to the console of the shop <b>${shop}</b> (<a href="/">${host}</a>) as <b>${operator.role}</b>, with the address <span class="words">${operator.email}</span>. Create a passkey to sign in.</p>
<p class="soft">A passkey replaces a password: your device, phone or security key confirms that it is you.</p>
${
  options === null
    ? html`<p class="note">Passkeys need a public URL with a host name and https.</p>`
    : html`<form method="post" action="${path}" data-passkey="create" data-options="${JSON.stringify(options)}">${passkeyNameField(device)}${PasskeyScript.parts()}<button>Create passkey and sign in</button></form>`
}
${hasOidc ? html`<form method="post" action="/admin/console/oidc/start"><button class="plain">Use single sign-on instead</button></form>` : ''}</section>`;
}

/** The field for the name of a passkey, which has the browser's name (`Chrome on macOS`) until the person writes another. */
export function passkeyNameField(proposed: string): Html {
  return html`<label for="name">Name of this passkey</label><input id="name" name="name" value="${proposed}" maxlength="100" autocomplete="off" aria-describedby="name-hint"><p class="hint" id="name-hint">For example “Work laptop”</p>`;
}

/** The page that leads to the sign-in provider. */
export function leave(address: string): Html {
  return html`<section class="entry"><h1>Sign in</h1><p>You are sent to your sign-in provider.</p><a class="button" href="${address}">Continue</a></section>`;
}

/** The page after the return from the sign-in provider. */
export function arrived(to: string): Html {
  return html`<section class="entry"><h1>Signed in</h1><a class="button" href="${to}">Continue to the console</a></section>`;
}

/** The page of an invitation link that does not work. `ended`: why, null for one that the shop does not know. */
export function invitationGone(ended: 'used' | 'expired' | null): Html {
  const signIn = html`<a class="button" href="/admin">Sign in</a>`;
  switch (ended) {
    case 'used':
      return html`<section class="entry"><h1>This link was used</h1><p class="note" role="alert">An invitation link works once, and a passkey was created with this one.</p>
<p>Was it you? Then sign in with that passkey. If it was not, report it to an owner of the shop at once.</p>${signIn}</section>`;
    case 'expired':
      return html`<section class="entry"><h1>This link has expired</h1><p class="note" role="alert">An invitation link works for seven days.</p>
<p>Ask an owner of the shop for a new one: they find it under Team.</p>${signIn}</section>`;
    case null:
      return html`<section class="entry"><h1>This link does not work</h1><p class="note" role="alert">It is incomplete, was replaced by a newer one, or was withdrawn.</p>
<p>Open the link of the latest message, in full. If that fails, too, ask an owner of the shop for a new one: they find it under Team.</p>${signIn}</section>`;
  }
}

type Link = { path: string; name: string };

/** An error message in place of a page, with links to the next ones: the first is the usual one. */
export function problem(
  heading: string,
  message: string | Html,
  ...links: readonly [to?: Link, ...more: readonly Link[]]
): Html {
  const [to = { path: '/admin', name: 'Go to the overview' }, ...more] = links;
  return html`<h1>${heading}</h1><section><p role="alert">${message}</p><div class="actions"><a class="button" href="${to.path}">${to.name}</a>${more.map((one) => html`<a class="button plain" href="${one.path}">${one.name}</a>`)}</div></section>`;
}
