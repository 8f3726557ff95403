/** The layout of the start page: the first screen in two columns, and plans that stay short on a phone. */
export const style = `
.hero{display:grid;gap:1.5rem;grid-template-columns:minmax(0,1fr);margin-bottom:1.25rem}.hero .lead{margin-bottom:1rem}.hero .actions{margin-bottom:.5rem}
.demo{margin:0;padding:1rem}.demo .call{display:flex;gap:.5rem;align-items:center;margin:0;font-size:1rem;overflow-wrap:anywhere}.demo pre{max-height:9.5rem;margin-top:.375rem}.demo p{margin:.625rem 0 0;font-size:.875rem}.demo button:not(.copy){margin-top:.75rem}
.method{font:700 .75rem/1.6 ui-monospace,Menlo,Consolas,monospace;padding:0 .5rem;border-radius:6px;background:var(--tint);color:var(--accent)}
summary>h2{display:inline;margin:0}details[open]>summary>h2{margin-bottom:.75rem}#try{padding-block:1rem}
.code-field{font-size:.9375rem;margin-bottom:.75rem}.code-field p{margin:.25rem 0}.card form:has(.code-field) button{margin-top:.25rem}
.facts-list{margin:.5rem 0 .75rem;padding:0;list-style:none;color:var(--soft)}.facts-list li:first-child{color:var(--ink);font-weight:600}.facts-list li{margin:.125rem 0}
#code pre{max-height:18rem}
@media(max-width:40rem){h1{margin-top:.25rem}.hero{gap:1rem}.hero .lead{font-size:1rem}.hero .price{font-size:1.25rem}.hero .actions{gap:.75rem .625rem;font-size:.9375rem}.hero .actions :is(.button,button){font-size:.9375rem;padding:.6rem .8rem}
.hero .actions>a:last-child,.demo .request{display:none}.demo pre{max-height:6.5rem}footer{padding-bottom:1.5rem}section{padding:.875rem 1rem;margin-bottom:1rem}#try{padding-block:.625rem}
.plans{gap:.625rem}.plans .card{padding:.75rem .875rem;display:grid;grid-template-columns:1fr auto;align-items:center;column-gap:.75rem}.plans .card>:is(.facts-list,p,.credit){grid-column:1/-1}.plans .price{font-size:1.125rem;margin:0}.plans .card>form:not(.credit){grid-area:1/2/3}.plans button{margin:0;padding:.5rem .875rem}.plans .credit{display:grid;grid-template-columns:1fr auto;gap:.25rem .75rem;align-items:center}.plans .credit :is(label,p,details){grid-column:1/-1;margin:0}.plans .card{position:relative}.plans .card>form:has(details):not(.credit){grid-area:auto/1/auto/-1}.plans .card>form:has(details):not(.credit)>details:not([open])+button{position:absolute;inset-block-end:.625rem;inset-inline-end:.875rem}.plans .code-field{margin:0}.plans .credit :is(.code-field,.fault){order:1}.plans .credit button{justify-self:end}
.facts-list{margin:.25rem 0;font-size:.9375rem}.facts-list li{display:inline}.facts-list li:not(:last-child)::after{content:" · ";font-weight:400}#code pre{max-height:5.5rem}}
@media(min-width:60rem){.hero{grid-template-columns:minmax(0,1fr) minmax(0,29rem);align-items:center}.demo pre{max-height:11rem}}`;
