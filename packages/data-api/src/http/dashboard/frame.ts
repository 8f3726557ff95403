import * as CopyScript from '@sluice/kernel/copy-script';
import { pageHeaders, policy, style } from '@sluice/kernel/page-style';
import { html, raw } from 'hono/html';

export type Html = ReturnType<typeof html>;
export type Page = {
  status?: number;
  title: string;
  main: Html;
  headers?: Readonly<Record<string, string>>;
  /** True for a page that shows a secret, which gets a copy button. No page needs the script. */
  isScripted?: boolean;
};

export const front = '/dashboard';

const ownStyle = `
main{overflow-wrap:break-word}table .id{white-space:nowrap}@media(max-width:40rem){table.stack .id{white-space:normal}}
header form{margin:0}header button.quiet{color:var(--soft)}
.id{font:.8125rem/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
.facts{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.75rem 1.25rem}@media(max-width:40rem){.facts{grid-template-columns:1fr 1fr}}p code{white-space:nowrap}.facts dd{font-size:1.125rem}.crumbs{margin:0;font-size:.875rem}.crumbs+h1{margin-top:.25rem}.narrow{max-width:28rem;margin:0 auto}.narrow button{width:100%}.narrow label{margin-top:0}.narrow .hint{margin-top:.75rem}section.fold:has(.danger){border-color:var(--bad)}@media(max-width:40rem){table.stack tr:last-child{border-bottom:0;padding-bottom:0}}
.columns{display:grid;gap:0 1.25rem;grid-template-columns:repeat(auto-fit,minmax(min(24rem,100%),1fr));align-items:start}
.chart{display:grid;grid-template-columns:auto 1fr;gap:0 .75rem;margin:1rem 0 .5rem}.chart svg{display:block;width:100%;height:9rem}.chart rect{fill:var(--accent)}.chart line{stroke:var(--line);vector-effect:non-scaling-stroke}
.chart :is(.y,.x){display:flex;justify-content:space-between;color:var(--soft);font-size:.8125rem}.chart .y{flex-direction:column;text-align:end;line-height:1;font-variant-numeric:tabular-nums}.chart .x{grid-column:2;padding-top:.4rem}
.sign{display:inline-block;padding:0 .5rem;border-radius:6px;font-size:.8125rem;line-height:1.6;background:var(--tint);color:var(--ink);white-space:nowrap}.sign.bad{background:var(--note-tint);color:var(--note)}
section>form,details>form{max-width:34rem}input,select{max-width:100%}section.fold{padding-block:.9rem;margin-bottom:.75rem}section.fold details[open]>summary{margin-bottom:.5rem}.choices{max-width:100%}
fieldset{border:0;min-width:0;margin:.75rem 0 0;padding:0}legend{font-size:.875rem;color:var(--soft);padding:0}
.choices{columns:14rem;margin:.25rem 0}.choices label,.choice{display:flex;gap:.5rem;align-items:baseline;margin:.25rem 0;color:var(--ink);break-inside:avoid}
.choices input,.choice input{width:auto}
@supports selector(:has(a)){fieldset:has([value="all"]:checked) .choices{display:none}}
@media(min-width:40.01rem){.number:not(:last-child){padding-inline-end:1.25rem}}`;

/** Responds with a page of the dashboard. Rendered on the server. */
export function respond(
  { status = 200, title, main, headers = {}, isScripted = false }: Page,
  isSignedIn: boolean,
): Response {
  const signOut = html`<form method="post" action="${front}/sign-out"><button class="quiet">Sign out</button></form>`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: data API</title><link rel="icon" href="data:,"><style>${raw(style + ownStyle)}</style>
</head>
<body${isScripted ? raw(' data-copy="Copy" data-copied="Copied"') : ''}>
<header><a class="name" href="${front}">Data API: keys and plans</a>${isSignedIn ? signOut : ''}</header>
<main>
${main}
</main>
<footer><a href="/openapi.json">OpenAPI</a><span>Times are in UTC.</span></footer>${isScripted ? html`<script>${raw(CopyScript.code)}</script>` : ''}
</body>
</html>`;
  const scripted = isScripted ? { 'content-security-policy': policy("'self'", CopyScript.source) } : {};
  return new Response(String(page), {
    status,
    headers: { ...pageHeaders("'self'"), ...scripted, ...headers },
  });
}

/** Redirects after a form was accepted, so that a reload does not send it again. */
export function redirect(location: string, setCookie?: string): Response {
  const headers = { location, 'cache-control': 'no-store', ...(setCookie && { 'set-cookie': setCookie }) };
  return new Response(null, { status: 303, headers });
}

/** A message in place of a page. */
export function problem(status: number, heading: string, message: string): Page {
  return {
    status,
    title: heading,
    main: html`<section><h1>${heading}</h1><p class="note" role="alert">${message}</p><a class="button" href="${front}">Go to the dashboard</a></section>`,
  };
}
