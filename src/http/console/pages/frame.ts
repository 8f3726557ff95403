import { html, raw } from 'hono/html';
import type { Html, PageLayout } from '../../pages/frame.ts';
import type { Person } from '../sessions.ts';

/** An entry in the navigation of the console. */
export type Section = { name: string; path: string };

/** The front page; its path is a prefix of all others. */
export const front = '/admin';

export const mePath = '/admin/console/me';

const style = `
:root{--bad-tint:#fbe4e1}@media(prefers-color-scheme:dark){:root{--bad-tint:#3b1c19}}.sign{font-weight:500}.sign.bad{background:var(--bad-tint);color:var(--bad)}.sign.warn{background:var(--note-tint);color:var(--note)}.sign.past{background:var(--ground);color:var(--soft)}
main{overflow-wrap:break-word}h1{overflow-wrap:break-word}@media(max-width:40rem){.top h1{font-size:1.375rem}}@media(min-width:62rem){.nowrap-wide{white-space:nowrap}}table .id{white-space:nowrap}@media(max-width:40rem){table.stack .id:not(.short){white-space:normal}}
header nav{display:flex;flex-wrap:nowrap;gap:0 1.25rem;flex-basis:100%;order:1;border-bottom:1px solid var(--line)}header .name small{margin-inline-start:.75rem;font-size:.875rem;font-weight:400;color:var(--soft)}
header nav a{text-decoration:none;padding:.5rem 0}nav a{white-space:nowrap}[hidden]{display:none!important}:is(header nav,nav.views){overflow-x:auto;scrollbar-width:none;scroll-padding-inline:1.25rem}nav a[aria-current]{scroll-initial-target:nearest}:is(header nav,nav.views)::-webkit-scrollbar{display:none}@media(max-width:40rem){header nav{margin-inline:-1rem;padding-inline:1rem;mask-image:linear-gradient(to right,#000 calc(100% - 3rem),transparent)}header nav::after{content:"";flex:0 0 2rem}nav.views{margin-inline:-1.25rem;padding-inline:1.25rem;mask-image:linear-gradient(to right,#000 calc(100% - 3rem),transparent)}nav.views::after{content:"";flex:0 0 1.5rem}}header nav a[aria-current]{box-shadow:inset 0 -2px var(--accent)}header nav a:hover,nav.views a:hover{color:var(--ink)}
nav.views{display:flex;gap:.5rem;margin-block:0 1.25rem;padding-block:.25rem}.top nav.views{margin-block:0}@media(min-width:40.01rem){nav.views{flex-wrap:wrap}}nav.views a{padding:.4rem .9rem;border:1px solid var(--line);border-radius:999px;background:var(--panel);color:var(--soft);text-decoration:none}nav.views a[aria-current]{color:var(--ink);font-weight:600;border-color:var(--accent)}
.count{font-variant-numeric:tabular-nums;background:var(--bad-tint);color:var(--bad);border-radius:999px;padding:0 .5rem;font-size:.8125rem;font-weight:600}
h1 .sign{font-size:.9375rem;line-height:1.7;padding:.1rem .6rem;border-radius:8px}h2 .sign{line-height:1.7}section.fold{padding-block:.9rem}section.fold>details[open]>summary{margin-bottom:.5rem}
.pairs{margin:0}.pairs>div{display:grid;grid-template-columns:9rem 1fr;gap:.25rem 1rem;padding:.4rem 0}.pairs dt{color:var(--soft)}.pairs dd{margin:0;overflow-wrap:anywhere}
.act{align-items:start}.act>details[open]{flex-basis:100%}.act>details>section{margin:.75rem 0 0}.act summary{list-style:none}.act summary::-webkit-details-marker{display:none}.act>*{margin-top:0}.act .button{margin-top:0}
.button.plain.danger,button.plain.danger{background:none;color:var(--bad);box-shadow:inset 0 0 0 1.5px var(--bad)}
.narrow{max-width:34rem}.narrow h2{margin:1.5rem 0 .5rem}.narrow h2:first-child{margin-top:0}.narrow h2+ul{margin-top:0}header form{margin:0}header button.quiet{color:var(--soft)}
.half{max-width:34rem}.confirmation .actions{margin-top:1rem}.confirmation ul{margin-top:0;padding-inline-start:1.25rem}.confirmation li{margin-bottom:.25rem}button.copy-id{font-size:.8125rem;margin-inline-start:.5rem;white-space:nowrap}.short-fields{grid-template-columns:repeat(auto-fill,minmax(min(14rem,100%),1fr))!important}.columns{display:grid;gap:0 1.25rem;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr))}.columns>section{min-width:0}.top{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;margin:1.5rem 0 1rem}.top h1{margin:0;flex:1 1 auto;min-width:0}.top .button{margin:0}.button.small{padding:.4rem .8rem;font-size:.875rem!important;font-weight:600!important}
.chart{width:100%;height:10rem;display:block;margin-top:1.25rem}.chart .gross{fill:var(--accent)}.chart .back{fill:var(--note)}.chart line{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.axis{display:flex;justify-content:space-between;color:var(--soft);font-size:.8125rem;margin:.25rem 0 .75rem}
.heed{list-style:none;margin:0;padding:0}.heed li{padding:.5rem 0;border-bottom:1px solid var(--line)}.heed li:last-child{border:0}
.count.mild{background:var(--note-tint);color:var(--note)}section.banner{border-color:var(--bad);border-inline-start-width:4px}.banner h2{color:var(--bad)}.banner .actions{margin:.75rem 0 .5rem}.banner dd time{font-size:1.125rem}ul.faults{margin:.25rem 0 0;padding-inline-start:1.25rem}.tasks{list-style:none;margin:0;padding:0}.tasks li{display:grid;grid-template-columns:2.5rem 1fr auto minmax(9rem,auto);gap:.25rem .75rem;align-items:baseline;padding:.5rem 0;border-bottom:1px solid var(--line)}.tasks li:last-child{border:0}.tasks b{justify-self:start}.tasks a{font-weight:600}.tasks .sum{font-variant-numeric:tabular-nums;text-align:end}.tasks .soft{font-size:.875rem;text-align:end}.steps{margin:0;padding-inline-start:1.25rem}.steps li{padding:.4rem 0}.steps a{font-weight:600}.lead{margin:0 0 1.25rem}
@media(max-width:40rem){.tasks li{grid-template-columns:2.25rem 1fr auto}.tasks .soft{grid-column:2/-1;text-align:start}}
.id{font:.8125rem/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
@media(min-width:40.01rem){.number:not(:last-child){padding-inline-end:1.25rem}}
.log{list-style:none;margin:0;padding:0}.log li{padding:.75rem 0;border-bottom:1px solid var(--line)}.log li:last-child{border:0}.log p{margin:0;overflow-wrap:anywhere}
@media(max-width:40rem){table:not(.stack) th .id{display:inline-block;max-width:7rem;overflow:hidden;text-overflow:ellipsis;vertical-align:bottom}.slim.slim tr>*{white-space:normal}.slim{font-size:.875rem}.slim .number{padding-left:.25rem}.slim .number:not(:last-child){padding-right:.25rem}.slim th:not(.number){padding-right:.5rem}}
@media(max-width:40rem){header .name{flex:1;min-width:0}header nav{gap:0 1.25rem}header>.soft{display:none}header>a:not(.name){order:1;flex-basis:100%;font-size:.875rem}td[data-as=wide]{display:none!important}.pairs>div{grid-template-columns:7rem 1fr;gap:.25rem .5rem}}
form.row{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end}form.row>div{flex:1 1 12rem}form.row label{margin-top:0}form.row button{margin:0}
header,main,footer{max-width:76rem}td time,th time{white-space:nowrap}th .soft{font-weight:400}
dl.facts+dl.pairs{margin-top:1rem}td small{display:block;color:var(--soft);font-size:.8125rem}form.filter{margin-bottom:.75rem;display:grid;grid-template-columns:repeat(2,minmax(0,14rem)) auto 1fr;gap:0 .75rem;align-items:end}form.filter label{margin-top:0}form.filter button{margin:0;justify-self:start}form.filter details[open]{grid-column:1/-1}form.filter:has(details[open]) .tools{grid-column:1/-1;margin-top:.75rem}.more{display:grid;gap:.5rem .75rem;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));max-width:60rem}@media(max-width:40rem){form.filter{grid-template-columns:1fr 1fr;gap:.5rem .75rem}}
.nowrap{white-space:nowrap}.acts form{display:inline-block;margin-inline-end:.75rem}.facts .sign{font-size:.9375rem;font-weight:400}.verdict b{font-size:1.125rem}.verdict ul{margin:.25rem 0 0;padding-inline-start:1.25rem}.verdict.ok{font-weight:600}td details>summary{padding:0;color:var(--accent);font-size:.875rem}@media(max-width:40rem){table.compact td[data-label]:empty{display:none}table.compact :is(th,td){overflow-wrap:anywhere}table.compact th[scope=row]{overflow-wrap:break-word}.slim.slim td.number{white-space:nowrap}.facts{display:grid;grid-template-columns:1fr 1fr;gap:.75rem}.facts dd:not(.small){font-size:1.125rem}.facts div{min-width:0}form.filter details{align-self:center}form.filter .tools{justify-self:end}form.filter:has(details[open]) .tools{justify-self:start}nav.views a{font-size:.875rem;padding:.35rem .7rem}.save .soft{display:none}}form.filter :is(input,select,button){height:2.75rem;padding-block:0}
.tools{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:center;font-size:.875rem}.entry{max-width:26rem;margin:2rem auto}.entry h1{font-size:1.5rem;margin:0 0 .75rem}.entry button{width:100%}.entry button+p{margin-top:1rem}.with-unit{position:relative;display:block}.with-unit input{padding-inline-end:3.25rem}.with-unit>span{position:absolute;inset-block:0;inset-inline-end:.75rem;display:flex;align-items:center;color:var(--soft);font-size:.875rem}button.small{padding:.3rem .7rem;margin:0;font-size:.875rem!important;font-weight:600!important}.check.below{padding-top:2rem}
.small{font-size:.8125rem!important;font-weight:400!important}.id.short{display:inline-block;max-width:9rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;vertical-align:bottom}
.words{min-width:14rem;white-space:normal!important}ul.details{margin:0;padding:0;list-style:none}ul.details li{white-space:normal;overflow-wrap:anywhere}
.grid-fields{display:grid;gap:0 1rem;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr))}
.check{display:flex;gap:.75rem;align-items:baseline}.check input,label.check input{width:auto;flex:none}label.check+.hint{margin-inline-start:1.75rem}label.check{color:var(--ink);font-size:1rem;margin:.375rem 0}fieldset{border:0;margin:.75rem 0 0;padding:0;min-width:0}legend{font-size:.875rem;color:var(--soft);padding:0}.row-wide{grid-column:1/-1}@media(min-width:62rem){.row-two{grid-column:span 2}}fieldset.services .ways{display:flex;flex-wrap:wrap;gap:0 1.5rem}fieldset.services .boxes{counter-reset:chosen;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(15rem,100%),1fr));gap:0 1rem;padding:.25rem 0 0 1.5rem}.boxes input:checked{counter-increment:chosen}.boxes .chosen{grid-column:1/-1;margin:.25rem 0 0;font-size:.875rem}.chosen::before{content:counter(chosen) " "}.boxes .check{overflow-wrap:anywhere}@supports selector(:has(*)){fieldset.services:has(input[value="*"]:checked) .boxes{display:none}}
.editor{display:grid;grid-template-columns:auto minmax(0,1fr);max-height:75vh;overflow:auto;border:1px solid var(--soft);border-radius:10px;background:var(--panel)}.editor>:is(pre,textarea){font:1rem/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace!important;margin:0;border:0;border-radius:0;padding:.6rem .75rem}.editor:focus-within{outline:3px solid var(--accent);outline-offset:2px}.editor>textarea:focus-visible{outline:0}.editor{position:relative}.editor>pre{height:0;min-height:100%;max-height:none;overflow:visible clip;text-align:end;color:var(--soft);background:var(--ground);user-select:none}.editor>pre span{font-weight:600;color:var(--ink);scroll-margin-block:6rem}.editor>pre span::after{content:"";position:absolute;inset-inline:0;height:1lh;pointer-events:none;background:color-mix(in srgb,var(--accent) 9%,transparent)}.editor>pre span.bad{color:var(--bad)}.editor>pre span.bad::after{background:color-mix(in srgb,var(--bad) 14%,transparent)}.editor>pre span:target::after{background:color-mix(in srgb,var(--accent) 24%,transparent)}.editor>pre span.bad:target::after{background:color-mix(in srgb,var(--bad) 28%,transparent)}.find{display:flex;gap:.75rem;align-items:end;max-width:34rem}.find>div{flex:1}.find label{margin-top:0}.find button{margin:0;padding-block:.55rem}.found{list-style:none;margin:0 0 .75rem;padding:0;max-height:12rem;overflow:auto}.found li{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.editor>textarea{resize:none;white-space:pre;overflow:auto hidden;field-sizing:content;min-height:100%}@media(min-width:40.01rem){.editor>:is(pre,textarea){font-size:.8125rem!important}}
.two{grid-template-columns:repeat(auto-fill,minmax(min(30rem,100%),1fr))!important}.logo-now{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:.25rem 0 .5rem}.logo-now img{max-height:2.5rem;max-width:10rem}.logo-now .check{margin:0}input[type=file]{padding:.45rem .5rem;font-size:.9375rem}.columns>div{min-width:0;display:flex;flex-direction:column}.columns>div>section:last-child{flex:1}
.add{margin-top:.75rem}@media(min-width:62rem){table.people{table-layout:fixed}}.types summary b{font-size:1rem}.types summary .soft{margin-inline-start:.5rem}.confirm{padding:.5rem 0}td details form+form{margin-top:.5rem}@media(max-width:40rem){table.compact td details form{display:flex;margin-block:.25rem .75rem}}.check label{margin:0;color:var(--ink);font-size:1rem;min-width:0;overflow-wrap:anywhere}
blockquote{margin:.5rem 0;padding:.25rem 1rem;border-inline-start:3px solid var(--line)}
@media(min-width:40.01rem){.columns>section:has(>.button.end){display:flex;flex-direction:column}.button.end{margin-top:auto;align-self:start}}p+.button.end,dl+.button.end{margin-block-start:1rem}dl.list{margin:0 0 1rem}dl.list dt:first-child{margin-top:0}dl.list dt{font-weight:600;margin-top:.5rem}dl.list dd{margin:0;color:var(--soft)}
pre.diff{max-height:none}pre.diff>*{display:block;text-decoration:none;min-height:1.55em}pre.diff ins{background:var(--tint)}pre.diff del{background:var(--bad-tint);color:var(--bad)}pre.diff .gap{color:var(--soft)}
.plot{display:grid;grid-template-columns:auto 1fr;gap:.5rem;margin-top:1.25rem}.plot .chart{margin:0}.scale{display:flex;flex-direction:column;justify-content:space-between;color:var(--soft);font-size:.8125rem;text-align:end;line-height:1}.chart .grid{stroke-dasharray:2 4}
html{scroll-padding-bottom:6rem}.save{position:sticky;bottom:0;z-index:1;background:var(--ground);border-top:1px solid var(--line);padding:.25rem 0 .75rem;margin:0}.save .soft{font-size:.875rem}
ul.lines{list-style:none;margin:0;padding:0}ul.lines>li{display:grid;grid-template-columns:minmax(10rem,1fr) minmax(12rem,1fr) 10rem 8rem;gap:0 1rem;align-items:center;padding:.5rem 0;border-bottom:1px solid var(--line)}ul.lines>li:last-child{border:0}ul.lines .head{color:var(--soft);font-size:.875rem}
ul.lines .amount label{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}ul.lines .amount{position:relative}ul.lines .amount input{padding:.4rem 3.25rem .4rem .6rem}.amount .fault{text-align:start}
.choices{display:grid;gap:.5rem;justify-items:start;padding:.5rem 0}.choices form{margin:0!important}.choices button{text-align:start}.choices a.danger{color:var(--bad);font-size:1rem}.narrow input+.actions{margin-top:1rem}.beside{display:flex;gap:.75rem;align-items:flex-start}.beside>div{flex:1}.beside .swatch{flex:none;width:2.75rem;height:2.75rem;margin-top:2.35rem}.shop-preview{border:1px solid var(--line);border-radius:12px;padding:1rem;margin:.5rem 0 .75rem;background:var(--ground);color:var(--ink)}.shop-preview .button{margin:0;pointer-events:none}.shop-preview .link{color:var(--accent);text-decoration:underline;margin-inline:.75rem}
ul.lines summary{color:var(--accent);list-style:none;text-decoration:underline;text-underline-offset:.2em;font-size:.9375rem}ul.lines summary::-webkit-details-marker{display:none}ul.lines>li{position:relative}ul.lines>li>details{grid-column:1/-1}ul.lines>li>details>summary{position:absolute;inset-inline-end:0;inset-block-start:.5rem;padding:.5rem 0}
@media(max-width:40rem){ul.lines>li{grid-template-columns:minmax(0,1fr) 8.5rem;gap:0 .75rem}ul.lines .head{display:none}ul.lines>li>.soft{display:none}ul.lines .amount{grid-column:2}ul.lines>li>b{padding-block-end:1.6rem;align-self:start}ul.lines>li>details>summary{inset-inline:0 auto;inset-block-start:auto;inset-block-end:.5rem;padding:0;font-size:.875rem}ul.lines>li:has(details[open])>details>summary{position:static;margin-top:-1.6rem}}
.swatch{width:1.5rem;height:1.5rem;border-radius:6px;border:1px solid var(--line);vertical-align:middle;margin-top:.5rem}
section>details>summary .soft{margin-inline-start:.5rem}
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
    header: html`<a class="name" href="${front}">${shop}<small>Console</small></a>${at === null ? '' : signOut}`,
    footer: html`<a href="/">Shop</a>${at === null ? '' : html`<span>Times are in UTC.</span>`}`,
    style,
  };
}
