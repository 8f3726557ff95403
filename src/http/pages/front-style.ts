/** The layout of the start page: the first screen in two columns, and plans whose rows are aligned. */
export const style = `
h1{font-size:clamp(1.5rem,3vw,2rem)}.hero{display:grid;gap:1.5rem;grid-template-columns:minmax(0,1fr);margin-bottom:1.5rem}.hero .lead{margin-bottom:1rem}.hero .actions{margin-bottom:.5rem}
.demo{margin:0;padding:1rem}.demo .call{display:flex;gap:.5rem;align-items:center;margin:0;font-size:1rem;overflow-wrap:anywhere}.demo pre{--lines:7;margin-top:.375rem}.demo p{margin:.625rem 0 0;font-size:.875rem}.demo .actions{margin:.25rem 0 0}.demo button:not(.copy),.plans .card:not(.best) button{background:none;color:var(--accent);box-shadow:inset 0 0 0 1.5px var(--accent)}
.method{font:700 .75rem/1.6 ui-monospace,Menlo,Consolas,monospace;padding:0 .5rem;border-radius:6px;background:var(--tint);color:var(--accent)}
summary>:is(h2,h3){display:inline;margin:0}#code pre{--lines:14}
#plans{background:none;border:0;padding:.25rem 0 0}#plans h2{margin-bottom:1rem}
.plans .card{position:relative;display:grid;grid-row:span 5;grid-template-rows:subgrid;gap:0;padding:1.25rem 1rem;background:var(--panel)}.plans .card>*{margin:0}.plans .best{border-color:var(--accent);box-shadow:0 0 0 1px var(--accent)}
.plans h3 .sign{position:absolute;inset-block-start:0;inset-inline-start:1rem;translate:0 -50%;background:var(--accent);color:var(--on-accent);font-weight:600}
.plans .price{font-size:1.375rem}.plans .price small,.plans .each{font-size:.875rem;line-height:1.4;color:var(--ink);letter-spacing:0}.plans .price small{display:block}
.plans .facts-list{margin:.75rem 0 1rem;padding:0;list-style:none;color:var(--soft);font-size:.9375rem}.facts-list li:first-child{color:var(--ink);font-weight:600}.facts-list li{margin:.125rem 0;padding-inline-start:1.4em;text-indent:-1.4em}.facts-list li::before{content:"\\2713";display:inline-block;width:1.4em;text-indent:0;color:var(--accent)}
.plans button{width:100%;margin:0;padding:.6rem .75rem}.plans .action p{margin:.5rem 0 0}.plans .action .state{margin:0}.plans form+form{margin-top:.5rem}
.plans .credit{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.25rem .5rem}.plans .credit :is(label,p,details){grid-column:1/-1;margin:0}.plans .credit input[inputmode]{padding:.5rem .625rem}.plans .credit input::-webkit-calendar-picker-indicator{display:none!important}.plans .credit button{font-size:.875rem;padding-inline:.5rem;white-space:nowrap}
.code-field{font-size:.875rem}.plans form>.code-field{margin-top:.375rem}.code-field label{margin-top:.25rem}.code-field p{margin:.25rem 0}
@media(max-width:40rem){h1{margin-top:.25rem;font-size:1.375rem}.hero{gap:.875rem}.hero .lead{font-size:1rem}.hero .price{font-size:1.25rem}.hero .actions{gap:.75rem .625rem;font-size:.9375rem}.hero .actions :is(.button,button){font-size:.9375rem;padding:.6rem .8rem}
.hero>div>.actions>a:last-child,.demo .call+:is(pre,.code){display:none}.demo .call{font-size:.875rem}.demo pre{--lines:4}footer{padding-bottom:1.5rem}section{padding:.875rem 1rem;margin-bottom:.75rem}
.plans{gap:.75rem}.plans .card{grid-row:auto;grid-template:none/1fr auto;column-gap:.75rem;padding:.75rem .875rem}.plans .card>*{grid-column:1/-1}.plans .price small{display:inline}.plans .facts-list{margin:.375rem 0 .625rem;font-size:.875rem;line-height:1.4}
.plans button{width:auto;padding:.5rem .875rem}.plans .card:has(>.begin form)>:is(h3,.price){grid-column:1}.plans .card>.begin:has(form){grid-area:1/2/3/3;align-self:start}.plans h3{grid-row:1}.plans .price{grid-row:2}.plans form:not(.credit){display:flex;flex-flow:row-reverse wrap;align-items:center;justify-content:space-between;gap:0 .75rem}.plans .card:has(>.begin form)>.facts-list{margin-bottom:0}.plans form>.code-field{margin:0}.plans .credit button{font-size:1rem;padding-inline:.875rem}.plans form:not(.credit)>.code-field[open]{flex-basis:100%}.plans .best:has(.sign){margin-top:.5rem;padding-top:1rem}
#code pre{--lines:3}}
@media(min-width:40.01rem){.plans:has(.credit) .action:not(:has(.credit,.state)){padding-top:1.75rem}}
@media(min-width:60rem){.hero.shown{grid-template-columns:minmax(0,1fr) minmax(0,29rem);align-items:center}.hero h1{margin-top:.25rem}}`;
