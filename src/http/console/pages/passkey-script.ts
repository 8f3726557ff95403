import { policy as pagePolicy } from '@sluice/kernel/page-style';
import { html } from 'hono/html';
import type { Html } from '../../pages/frame.ts';

export const path = '/admin/console/passkeys.js';

/** The content security policy of pages with passkeys, which need a script in every browser. */
export const policy = `${pagePolicy("'self'")}; script-src 'self'`;

/** The form of a passkey has `data-passkey`: `get` or `create`, and `data-options`. The script adds the browser's answer and sends it. */
const script = `'use strict';
for (const form of document.querySelectorAll('form[data-passkey]')) {
  const say = (text) => {
    const line = form.querySelector('[role=alert]');
    line.textContent = text;
    line.hidden = false;
  };
  form.addEventListener('submit', async (event) => {
    if (form.elements.credential.value !== '') return;
    event.preventDefault();
    if (!window.PublicKeyCredential || !PublicKeyCredential.parseRequestOptionsFromJSON) {
      say('This browser is too old for passkeys. Use a current version of Chrome, Edge, Firefox or Safari.');
      return;
    }
    for (const said of document.querySelectorAll('main > [role=status]')) said.remove();
    const button = form.querySelector('button');
    button.disabled = true;
    try {
      const options = JSON.parse(form.dataset.options);
      const credential = form.dataset.passkey === 'get'
        ? await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
        : await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
      form.elements.credential.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch (fault) {
      button.disabled = false;
      say(fault.name === 'InvalidStateError'
        ? 'This device already has a passkey for you here.'
        : (form.dataset.passkey === 'get' ? 'The passkey was not used' : 'No passkey was created') + ': the request was cancelled or timed out. Try again.');
    }
  });
}
`;

export function respond(): Response {
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  };
  return new Response(script, { headers });
}

/** The hidden field for the browser's answer, the line for problems, and the script. */
export function parts(): Html {
  return html`<input type="hidden" name="credential" value=""><p class="note" role="alert" hidden></p><noscript><p class="note">Passkeys need JavaScript, which is off in this browser.</p></noscript><script src="${path}" defer></script>`;
}
