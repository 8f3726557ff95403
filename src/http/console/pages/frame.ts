import { html, raw } from 'hono/html';
import type { Html, PageLayout } from '../../pages/frame.ts';
import type { Person } from '../sessions.ts';

/** An entry in the navigation of the console. */
export type Section = { name: string; path: string };

/** The front page; its path is a prefix of all others. */
export const front = '/admin';

export const mePath = '/admin/console/me';

const style = `
main{overflow-wrap:break-word}table .id{white-space:nowrap}@media(max-width:40rem){table.stack .id:not(.short){white-space:normal}}
header nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;flex-basis:100%;order:1}
header nav a[aria-current]{color:var(--ink);font-weight:600;text-decoration-thickness:2px}
.narrow{max-width:34rem}header form{margin:0}header button.quiet{color:var(--soft)}
.columns{display:grid;gap:0 1.25rem;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));align-items:start}
.chart{width:100%;height:10rem;display:block;margin-top:1.25rem}.chart .gross{fill:var(--accent)}.chart .back{fill:var(--note)}.chart line{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.axis{display:flex;justify-content:space-between;color:var(--soft);font-size:.8125rem;margin:.25rem 0 .75rem}
.heed{list-style:none;margin:0;padding:0}.heed li{padding:.5rem 0;border-bottom:1px solid var(--line)}.heed li:last-child{border:0}
.heed b{display:inline-block;min-width:2.5rem;font-variant-numeric:tabular-nums}
.id{font:.8125rem/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
@media(min-width:40.01rem){.number:not(:last-child){padding-inline-end:1.25rem}}
.log{list-style:none;margin:0;padding:0}.log li{padding:.75rem 0;border-bottom:1px solid var(--line)}.log li:last-child{border:0}.log p{margin:0;overflow-wrap:anywhere}
@media(max-width:40rem){table:not(.stack) th .id{display:inline-block;max-width:7rem;overflow:hidden;text-overflow:ellipsis;vertical-align:bottom}.slim.slim tr>*{white-space:normal}.slim{font-size:.875rem}.slim .number{padding-left:.25rem}.slim .number:not(:last-child){padding-right:.25rem}.slim th:not(.number){padding-right:.5rem}}
@media(max-width:40rem){header .name{flex:1;min-width:0}header nav{order:2;gap:.25rem 1rem}header>:is(.soft,a:not(.name)){order:1;flex-basis:100%;font-size:.875rem}}
form.row{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end}form.row>div{flex:1 1 12rem}form.row label{margin-top:0}form.row button{margin:0}
header,main,footer{max-width:76rem}td time,th time{white-space:nowrap}th .soft{font-weight:400}table.stack .number:first-child{width:4rem}
form.filter{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(9rem,100%),1fr))}@media(min-width:50rem){form.filter>div:first-child{grid-column:span 2}}.tools{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.875rem}
.small{font-size:.8125rem!important;font-weight:400!important}.id.short{display:inline-block;max-width:9rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;vertical-align:bottom}
.words{min-width:14rem;white-space:normal!important}ul.details{margin:0;padding:0;list-style:none}ul.details li{white-space:normal;overflow-wrap:anywhere}
.grid-fields{display:grid;gap:0 1rem;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr))}
.check{display:flex;gap:.75rem;align-items:baseline}.check input,label.check input{width:auto;flex:none}label.check{color:var(--ink);font-size:1rem;margin:.375rem 0}fieldset{border:0;margin:.75rem 0 0;padding:0;min-width:0}legend{font-size:.875rem;color:var(--soft);padding:0}fieldset details{max-height:16rem;overflow:auto}.check label{margin:0;color:var(--ink);font-size:1rem}
blockquote{margin:.5rem 0;padding:.25rem 1rem;border-inline-start:3px solid var(--line)}
dl.list{margin:0}dl.list dt{font-weight:600;margin-top:.5rem}dl.list dd{margin:0;color:var(--soft)}
pre.diff{max-height:none}pre.diff>*{display:block;text-decoration:none;min-height:1.55em}pre.diff ins{background:var(--tint)}pre.diff del{background:var(--note-tint);color:var(--note)}pre.diff .gap{color:var(--soft)}
.plot{display:grid;grid-template-columns:auto 1fr;gap:.5rem;margin-top:1.25rem}.plot .chart{margin:0}.scale{display:flex;flex-direction:column;justify-content:space-between;color:var(--soft);font-size:.8125rem;text-align:end;line-height:1}.chart .grid{stroke-dasharray:2 4}
section.group{padding:.75rem 1.25rem;margin-bottom:.5rem;display:flex;flex-wrap:wrap;gap:0 1rem;align-items:start}section.group>details{flex:1 1 18rem;min-width:0}section.group>details[open]{flex-basis:100%}.price-field{flex:0 1 15rem;display:flex;gap:.5rem;align-items:center}.price-field label{margin:0;flex:1}.price-field input{width:7rem}.save{position:sticky;bottom:0;background:var(--ground);padding-bottom:.75rem;margin:0}@media(max-width:40rem){.save .soft{display:none}}
nav.pages{display:flex;gap:1.25rem;margin-top:1rem}`;

/** The header with the navigation, the person and the sign-out button; `at` is the path of the current page, null before the sign-in. */
export function layout(
  shop: string,
  sections: readonly Section[],
  at: string | null,
  person: Person | null,
): PageLayout {
  const isCurrent = ({ path }: Section) =>
    path === at || (path !== front && at !== null && at.startsWith(`${path}/`));
  const link = (section: Section): Html =>
    isCurrent(section)
      ? html`<a href="${section.path}" aria-current="page">${section.name}</a>`
      : html`<a href="${section.path}">${section.name}</a>`;
  const me =
    person?.operator == null
      ? html`<span class="soft">Admin token</span>`
      : html`<a href="${mePath}"${mePath === at ? raw(' aria-current="page"') : ''}>${person.operator.name} (${person.role})</a>`;
  const signOut = html`${me}<form method="post" action="/admin/console/sign-out"><button class="quiet">Sign out</button></form>
<nav aria-label="Console">${sections.map(link)}</nav>`;
  return {
    header: html`<a class="name" href="${front}">${shop}: console</a>${at === null ? '' : signOut}`,
    footer: html`<a href="/">Shop</a><span>Times are in UTC, amounts in US dollars.</span>`,
    style,
  };
}
