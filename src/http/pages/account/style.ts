/** The styles that only the pages of an account need. */
export const style = `
nav.sections{display:flex;gap:.25rem;overflow-x:auto;border-bottom:1px solid var(--line);margin-block:0 1.5rem}
main>h1{font-size:clamp(1.375rem,4vw,1.875rem);margin-top:0;overflow-wrap:anywhere}.lines{white-space:pre-line}.row.presets>*{flex:none}.after{margin-top:.75rem}section>.actions{margin:1rem 0 0}
table.stack td:last-child:has(form){text-align:end;padding-inline-end:0}table.stack tr:last-child{border-bottom:0}.range a{white-space:nowrap}.presets button{white-space:nowrap}
@media(min-width:40rem){table.stack .number:not(:last-child){padding-inline-end:2rem}}
nav.sections a{padding:.6rem .75rem;color:var(--soft);text-decoration:none;white-space:nowrap;border-bottom:2px solid transparent;margin-bottom:-1px}
nav.sections a:hover{color:var(--ink)}nav.sections a[aria-current]{color:var(--ink);font-weight:600;border-color:var(--accent)}
nav.sections :focus-visible{outline-offset:-3px}
@media(max-width:30rem){nav.sections{flex-wrap:wrap;gap:0;margin-inline:-.35rem}nav.sections a{padding:.6rem .35rem;font-size:.875rem}.row.presets{gap:.5rem}.row.presets button{padding:.5rem .6rem;font-size:.9375rem}}
.head{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline;justify-content:space-between}.head h2{margin:0}
.row{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin-top:.75rem}.row>*{flex:1 1 9rem;min-width:0}.row>.fit{flex:0 0 auto}.row label{margin-top:0}.row :is(button,.button){margin-top:0;padding-block:.55rem}
.row:has(.fault,.hint){align-items:start}.row:has(.fault,.hint)>.fit{padding-top:1.606rem}@media(max-width:40rem){.row:has(.fault)>*{flex-basis:100%}.row:has(.fault)>.fit{padding-top:0}}form.again{margin-top:.75rem}details{margin-top:.75rem}
.row button.plain{padding-inline:.9rem}form.filter{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(9rem,100%),1fr))}@media(min-width:40rem){form.filter{grid-template-columns:repeat(4,minmax(0,1fr))}}
form.inline{display:inline}.range a{display:inline-block;margin-inline-end:.75rem}.range a[aria-current]{color:var(--ink);font-weight:600;text-decoration:none}
ol.steps{padding-inline-start:1.25rem;margin:.5rem 0}ol.steps li{margin:.35rem 0}
.chart{display:grid;grid-template-columns:auto 1fr;gap:0 .75rem;margin:1rem 0 .5rem}
.chart svg{display:block;width:100%;height:11rem}.chart.small svg{height:6rem}.chart line{stroke:var(--line);vector-effect:non-scaling-stroke}
.chart .y{display:flex;flex-direction:column;justify-content:space-between;text-align:end;color:var(--soft);font-size:.8125rem;line-height:1;font-variant-numeric:tabular-nums}
.chart .x{grid-column:2;display:flex;justify-content:space-between;color:var(--soft);font-size:.8125rem;padding-top:.4rem}
.band-0{fill:var(--one);background:var(--one)}.band-1{fill:var(--two);background:var(--two)}.band-2{fill:var(--three);background:var(--three)}.band-3{fill:var(--four);background:var(--four)}.band-4{fill:var(--rest);background:var(--rest)}
form.switch{display:flex;gap:.5rem;align-items:center;flex-wrap:wrap}form.switch label{margin:0}form.switch select{width:auto;max-width:14rem;flex:0 1 14rem;padding:.35rem .5rem}form.switch button{margin:0;padding:.3rem .75rem}
dl.roles{margin:.75rem 0}dl.roles div{display:grid;grid-template-columns:6.5rem 1fr;padding-block:.4rem;border-top:1px solid var(--line)}dl.roles dt{font-weight:600}dl.roles dd{margin:0;color:var(--soft)}.row>.wide{flex:2 1 15rem;overflow:visible}.row :is(input:not([type=checkbox],[type=hidden]),select){height:2.625rem}.row :is(button,.button){min-height:2.625rem}.check{display:flex;gap:.6rem;align-items:flex-start}.check input{width:1.15rem;height:1.15rem;flex:none;margin:.2rem 0 0}.check label{margin:0}
form.role{display:flex;gap:.6rem;align-items:center;justify-content:flex-end}form.role select{width:auto;padding:.35rem .5rem}@media(min-width:40rem){form.role{justify-content:flex-start}}
@media(max-width:40rem){table.stack:not(.compact) th[scope=row]{padding-bottom:.25rem}table.stack td form{text-align:end}}
.made{border:2px solid var(--accent)}.made>p:first-child{margin-top:0;font-weight:600}.made pre.secret{margin-bottom:.75rem;font-size:.9375rem}dd.plain{font-size:1rem;font-weight:400}.otp{display:block;max-width:11rem;font-size:1.5rem;letter-spacing:.15em;font-variant-numeric:tabular-nums}
table.stack th code{font-weight:600}table.stack th[scope=row]{overflow-wrap:anywhere}table.stack button{white-space:nowrap}.short{white-space:nowrap}table small{font-size:.8125rem;font-weight:400;color:var(--soft)}.intro{margin:-.25rem 0 1rem}
table.stack tr.below>td{padding:0 0 1rem;text-align:start}tr:has(+.below)>*{border-bottom:0}tr.below form{background:var(--ground);border-radius:10px;padding:.75rem 1rem 1rem}tr.below .actions{margin:1rem 0 0}tr.below .actions>*{margin-top:0}
.columns>section:last-child{margin-bottom:1.25rem}@media(min-width:60rem){.columns{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1.25rem;margin-bottom:1.25rem}.columns.money{grid-template-columns:minmax(0,4fr) minmax(0,5fr)}.columns.money td button.quiet{white-space:normal;text-align:start}.row.presets{gap:.5rem}.row.presets button{padding-inline:.6rem;font-size:.9375rem}.columns.wide-second{grid-template-columns:minmax(0,2fr) minmax(0,3fr)}.columns>*,.columns>section:last-child{margin:0}.columns>:last-child:nth-child(odd){grid-column:1/-1}.columns>div{display:flex;flex-direction:column;gap:1.25rem}.columns>div>*{margin:0}.columns>div>:last-child{flex:1}}
@media(max-width:40rem){table.compact tr:not(:has([data-as=lead]:not(:empty)))>th[scope=row]{padding-inline-end:0}table.stack td:not([data-as]){overflow-wrap:anywhere}table.stack tr.below{padding:0 0 .75rem}table.compact tr.below>td:not(:empty){display:block;flex-basis:100%;inset-inline-start:0;margin:0;padding:0;font-size:1rem;color:inherit}table.stack tr.below form{display:block;text-align:start}table.stack tr:has(+.below){border-bottom:0}.short{white-space:normal}form[action$="/keys"] .row>*{flex-basis:100%}}
`;
