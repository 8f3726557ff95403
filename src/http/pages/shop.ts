import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import * as Description from '../../catalog/description.ts';
import type { Operation } from '../../catalog/operation.ts';
import { covers, type Plan } from '../../catalog/plan.ts';
import type { Service } from '../../catalog/service.ts';
import * as Money from '../../kernel/money.ts';
import type { Trial } from '../trial-call.ts';
import type { Html } from './frame.ts';

/** What a visitor who has an account sees of it. */
export type Standing = { account: string; balance: string; included: number; token: string };
/** A try of an operation: what is asked, and what came of it. */
export type Tried = { operation: Operation; path: string; body: string; trial: Trial | null };
export type Front = {
  catalog: Catalog;
  description: Description.Description;
  publicUrl: string;
  standing: Standing | null;
  tried: Tried;
};

/** The shop for people: what is sold and for how much, a try, the plans, and how a program calls. */
export function front({ catalog, description, publicUrl, standing, tried }: Front): Html {
  const { storefront, services, plans } = catalog;
  return html`<h1>${storefront.name}</h1>
<p class="lead">${storefront.description}</p>
${standing === null ? '' : mine(standing)}
<section id="prices">
<h2>What is sold</h2>
<div class="wide"><table class="stack">
<thead><tr><th scope="col">Service</th><th scope="col">Operations</th><th scope="col" class="number">Price</th></tr></thead>
<tbody>${services.map((service) => row(service, catalog, description))}</tbody>
</table></div>
<p class="soft">An error or an empty answer costs nothing. Nobody is charged more than he has paid in.</p>
</section>
${attempt(tried, catalog, standing)}
<section id="plans">
<h2>Plans</h2>
<div class="cards">${plans.map((plan) => card(plan, catalog, standing))}</div>
</section>
${samples(tried, publicUrl, standing)}`;
}

function mine({ account, balance, included }: Standing): Html {
  return html`<section aria-labelledby="mine"><h2 id="mine">Your account</h2>
<dl class="facts">
<div><dt>Balance</dt><dd id="balance">${balance} USD</dd></div>
<div><dt>Included units left</dt><dd id="included">${included}</dd></div>
<div><dt>Account</dt><dd class="id">${account}</dd></div>
</dl></section>`;
}

function row(service: Service, { operations }: Catalog, description: Description.Description): Html {
  const own = operations.filter((operation) => operation.service === service);
  return html`<tr><th scope="row">${service.name}<br><span class="soft" style="font-weight:400">${service.description}</span></th>
<td>${own.map((operation) => call(operation, description))}</td>
<td class="number">${service.price === 0 ? 'free' : html`${Money.format(service.price)} USD <span class="soft">a ${service.unit}</span>`}</td></tr>`;
}

function call(operation: Operation, description: Description.Description): Html {
  const { method, path, id, answeredBy } = operation;
  const summary = description.get(Description.key(method, path))?.summary ?? null;
  const name = html`<code>${method} ${path}</code>`;
  const link =
    answeredBy === 'storefront'
      ? name
      : html`<a href="/?operation=${encodeURIComponent(id)}#try">${name}</a>`;
  return html`<div>${link}${summary === null || summary === operation.service.name ? '' : html` <span class="soft">${summary}</span>`}</div>`;
}

function attempt(
  { operation, path, body, trial }: Tried,
  { operations, plans }: Catalog,
  standing: Standing | null,
): Html {
  const gift = plans.find((plan) => plan.kind === 'trial');
  const free =
    gift && standing === null ? `The first ${gift.included} units are free; no card, no email.` : '';
  const hasBody = operation.method !== 'GET' && operation.method !== 'DELETE';
  return html`<section id="try"><h2>Try it</h2>
<p class="soft">A real call to the real thing. ${free}</p>
<form method="get" action="/#try"><label for="operation">Operation</label>
<select id="operation" name="operation">${operations
    .filter(({ answeredBy }) => answeredBy === 'upstream')
    .map(
      ({ id }) => html`<option value="${id}" ${id === operation.id ? 'selected' : ''}>${id}</option>`,
    )}</select>
<button class="quiet" style="margin-top:.5rem">Show this one</button></form>
<form method="post" action="/shop/try#try">
<input type="hidden" name="operation" value="${operation.id}">
<label for="path">Path and query</label><input class="code" id="path" name="path" value="${path}" spellcheck="false" autocomplete="off">
${hasBody ? html`<label for="body">Body</label><textarea id="body" name="body" rows="7" spellcheck="false">${body}</textarea>` : ''}
<button>Call</button></form>
${trial === null ? '' : outcome(trial)}
</section>`;
}

function outcome(trial: Trial): Html {
  if (trial.kind === 'refusal') return html`<p class="note" role="alert">${trial.message}</p>`;
  const { status, line, body, isCut } = trial;
  return html`<p class="ok" role="status">${status}. ${line}</p><pre tabindex="0" aria-label="The answer">${body}</pre>
${isCut ? html`<p class="soft">The rest is not shown here.</p>` : ''}`;
}

function card(plan: Plan, { services }: Catalog, standing: Standing | null): Html {
  const all = services.every((service) => covers(plan, service));
  const scope = all
    ? 'All services'
    : services
        .filter((service) => covers(plan, service))
        .map(({ name }) => name)
        .join(', ');
  const rate = `${plan.requestsPerSecond} calls a second`;
  switch (plan.kind) {
    case 'trial':
      return html`<div class="card"><h3 style="margin:0">${plan.name}</h3><p class="price">0 USD</p>
<p class="soft">${plan.included} units once. ${scope}. ${rate}.</p>
${standing === null ? html`<form method="post" action="/shop/start"><button>Start free</button></form>` : ''}</div>`;
    case 'credit':
      return html`<div class="card"><h3 style="margin:0">${plan.name}</h3><p class="price">from ${Money.format(plan.min)} USD</p>
<p class="soft">Prepaid, drawn by the price of each result. ${scope}. ${rate}.</p>
<form method="post" action="/shop/buy"><input type="hidden" name="plan" value="${plan.id}">
<label for="amount">Amount in USD</label><input id="amount" name="amount_usd" inputmode="decimal" value="${Money.format(plan.min)}" autocomplete="off">
<button>Buy by card</button></form></div>`;
    case 'subscription':
      return html`<div class="card"><h3 style="margin:0">${plan.name}</h3><p class="price">${Money.format(plan.price)} USD <small>a ${plan.every}</small></p>
<p class="soft">${plan.included.toLocaleString('en')} units a ${plan.every}. ${scope}. ${rate}. Renews until you cancel.</p>
<form method="post" action="/shop/buy"><input type="hidden" name="plan" value="${plan.id}"><button>Subscribe by card</button></form></div>`;
  }
}

/** The call of the try, as programs write it. */
function samples({ operation, path, body }: Tried, publicUrl: string, standing: Standing | null): Html {
  const token = standing?.token ?? 'YOUR_ACCESS_TOKEN';
  const hasBody = operation.method !== 'GET' && operation.method !== 'DELETE';
  const flat = hasBody ? compact(body) : '';
  const curl = `curl -X ${operation.method} '${publicUrl}${path}' \\\n  -H 'Authorization: Bearer ${token}'${hasBody ? ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${flat.replaceAll("'", String.raw`'\''`)}'` : ''}`;
  const typescript = `const answer = await fetch('${publicUrl}${path}', {
  method: '${operation.method}',
  headers: { authorization: 'Bearer ${token}'${hasBody ? ", 'content-type': 'application/json'" : ''} },${hasBody ? `\n  body: JSON.stringify(${flat}),` : ''}
});
console.log(await answer.json(), answer.headers.get('storefront-cost-usd'));`;
  const python = `import httpx

answer = httpx.request(
    "${operation.method}",
    "${publicUrl}${path}",
    headers={"Authorization": "Bearer ${token}"},${hasBody ? `\n    content='''${flat.replaceAll('\\', '\\\\')}''',` : ''}
)
print(answer.json(), answer.headers["storefront-cost-usd"])`;
  const prompt = `Use ${publicUrl}: read ${publicUrl}/llms.txt first, ask ${publicUrl}/zeroclick/agent/guide?goal=... what to call and what it costs, and spend at most 1 USD.`;
  const sample = (name: string, text: string) =>
    html`<details ${name === 'curl' ? 'open' : ''}><summary>${name}</summary><pre tabindex="0" aria-label="${name}">${text}</pre></details>`;
  return html`<section id="code"><h2>In your program</h2>
${standing === null ? html`<p class="soft">The token is filled in here once you have an account: start free above. It lives for an hour; <a href="/auth.md">how to renew it</a>.</p>` : html`<p class="soft">With your token of this hour. Keep it to yourself: it is as good as the money. <a href="/auth.md">How to renew it</a>.</p>`}
${[sample('curl', curl), sample('TypeScript', typescript), sample('Python', python), sample('Prompt for an AI agent', prompt)]}
</section>`;
}

function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

/** The way from a form to the card page: browsers hold a form's own redirects back from another site. */
export function onward(url: string): Html {
  return html`<section><h1>To the card page</h1><p>You are taken to the card page in a moment. Nothing is charged before you pay there.</p><a class="button" href="${url}">Go to the card page</a></section>`;
}

export function refused(message: string): Html {
  return html`<section><h1>That did not work</h1><p class="note" role="alert">${message}</p><a class="button" href="/">Back to the shop</a></section>`;
}
