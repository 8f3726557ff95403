import { html } from 'hono/html';
import type { KeyEntry } from '../../keys/key-store.ts';
import type { FieldError } from '../../schema/wording.ts';
import type { UsageDay } from '../../usage/usage-report.ts';
import * as Figures from './figures.ts';
import * as Forms from './forms.ts';
import { front, type Html, type Page } from './frame.ts';

export type KeysView = {
  keys: readonly KeyEntry[];
  /** Id of the last key, if there are further ones. */
  next: string | null;
  apis: readonly string[];
  /** Identifies the form, so that sending it again creates no second key. */
  formId: string;
  faults: readonly FieldError[];
  nowMs: number;
};

/** The list of keys with the form that creates one. */
export function keysPage({ keys, next, apis, formId, faults, nowMs }: KeysView): Page {
  const cell = (name: string, value: string | Html, more = '') =>
    html`<td data-label="${name}" class="${more}">${value}</td>`;
  const row = (key: KeyEntry) => {
    const { used, resets } = Figures.records(key, nowMs);
    return html`<tr><th scope="row"><a href="${front}/keys/${key.id}">${key.label ?? `${key.plan} key`}</a><br><span class="id soft">${key.id}</span></th>${[
      cell('Plan', key.plan),
      cell('Status', Figures.status(key.revokedAtMs === null ? key.planStatus : 'revoked')),
      cell('Records used', used, 'number'),
      cell('Next reset', resets),
      cell('Requests per second', Figures.count(key.requestsPerSecond), 'number'),
    ]}</tr>`;
  };
  return {
    status: faults.length > 0 ? 422 : 200,
    title: 'Keys',
    main: html`<h1>Keys</h1>
${problems(faults)}
<section aria-labelledby="all"><h2 id="all" class="hidden">All keys</h2>
${
  keys.length === 0
    ? html`<p>There are no keys here.</p>`
    : html`<div class="wide" tabindex="0" role="group" aria-label="Keys"><table class="stack"><thead><tr><th scope="col">Key</th><th scope="col">Plan</th><th scope="col">Status</th><th scope="col" class="number">Records used</th><th scope="col">Next reset</th><th scope="col" class="number">Requests per second</th></tr></thead><tbody>${keys.map(row)}</tbody></table></div>`
}
${next === null ? '' : html`<p><a href="${front}?after=${next}">Further keys</a></p>`}</section>
<section class="fold" aria-labelledby="create"><details ${faults.length > 0 || keys.length === 0 ? 'open' : ''}><summary><h2 id="create">Create a key</h2></summary>
<form method="post" action="${front}/keys"><input type="hidden" name="form" value="${formId}">
<label for="label">Label, such as the name of the customer</label><input id="label" name="label" maxlength="100" autocomplete="off">
${Forms.planFields(false)}
${Forms.operationFields(apis, null)}
<button>Create the key</button></form></details></section>`,
  };
}

export type KeyView = {
  key: KeyEntry;
  days: readonly UsageDay[];
  apis: readonly string[];
  /** A new secret, to be shown this once. */
  secret: string | null;
  /** Outcome of the last form. */
  result: string | null;
  faults: readonly FieldError[];
  nowMs: number;
};

/** A key with its usage and the forms that change it. */
export function keyPage({ key, days, apis, secret, result, faults, nowMs }: KeyView): Page {
  const at = `${front}/keys/${key.id}`;
  const secrets = key.secrets.map(({ madeAtMs, endsAtMs }) =>
    endsAtMs === null
      ? html`<li>Created ${Figures.moment(madeAtMs)}, in use</li>`
      : html`<li>Created ${Figures.moment(madeAtMs)}, ends ${Figures.moment(endsAtMs)}</li>`,
  );
  return {
    status: faults.length > 0 ? 422 : 200,
    title: key.label ?? 'Key',
    isScripted: secret !== null,
    main: html`<p class="crumbs"><a href="${front}">Keys</a></p>
<h1>${key.label ?? `${key.plan} key`}</h1>
${secret === null ? '' : Figures.newSecret(secret)}
${result === null ? '' : html`<p class="ok" role="status">${result}</p>`}
${problems(faults)}
<section aria-labelledby="facts"><h2 id="facts">Plan</h2>
${Figures.facts(key, nowMs, key.revokedAtMs === null ? key.planStatus : 'revoked')}
<p class="soft">Key <span class="id">${key.id}</span>, created ${Figures.moment(key.madeAtMs)}. Plan since ${Figures.moment(key.startedAtMs)}.</p>
${key.revokedAtMs === null ? html`<h3>Valid secrets</h3><ul>${secrets}</ul>` : html`<p class="note">Revoked ${Figures.moment(key.revokedAtMs)}. It cannot be used or changed.</p>`}
<h3>Operations</h3>${Figures.operations(key.allowedApis)}</section>
${Figures.usage(days)}
${key.revokedAtMs === null ? forms(key, at, apis) : ''}`,
  };
}

function forms(key: KeyEntry, at: string, apis: readonly string[]): Html {
  return html`<section class="fold" aria-labelledby="change"><details><summary><h2 id="change">Change the plan</h2></summary>
<p class="soft">A new plan starts a new month at once, with its full allowance.</p>
<form method="post" action="${at}/plan">${Forms.planFields(true)}${Forms.statusField(key.planStatus)}<button>Save the plan</button></form></details></section>
<section class="fold" aria-labelledby="limit"><details><summary><h2 id="limit">Limit the operations</h2></summary>
<form method="post" action="${at}/operations">${Forms.operationFields(apis, key.allowedApis)}<button>Save the operations</button></form></details></section>
${Forms.rotateForm(`${at}/rotate`, key.secrets.at(-1)?.madeAtMs ?? 0)}
<section class="fold" aria-labelledby="revoke"><details><summary><h2 id="revoke">Revoke the key</h2></summary>
<p class="soft">All its secrets end at once, and it cannot be restored.</p>
<form method="post" action="${at}/revoke"><label class="choice"><input type="checkbox" name="sure" value="yes" required> I want to revoke this key</label><button class="danger">Revoke the key</button></form></details></section>`;
}

function problems(faults: readonly FieldError[]): Html {
  if (faults.length === 0) return html``;
  return html`<div class="note" role="alert"><p>Nothing was changed:</p><ul>${faults.map(({ field, message }) => html`<li>${field}: ${message}</li>`)}</ul></div>`;
}
