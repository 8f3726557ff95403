/** The layout of the reference: navigation, text and samples side by side on wide screens, below each other on narrow ones. */
export const style = `
header,main,footer{max-width:96rem;width:100%}
.menu{margin:0 1.25rem 1rem;padding:.4rem .9rem}
#docs-nav{border:0;padding:1.25rem;background:var(--panel);color:var(--ink);font-size:.9375rem}
#docs-nav:popover-open{position:fixed;inset:0 auto 0 0;margin:0;width:min(20rem,85vw);height:100%;max-height:none;overflow:auto;border-inline-end:1px solid var(--line)}#docs-nav::backdrop{background:#0008}
#docs-nav h2{font-size:.8125rem;color:var(--soft);margin:1.25rem 0 .25rem;font-weight:600}
#docs-nav ul{list-style:none;margin:0;padding:0}#docs-nav ul ul{margin-inline-start:.75rem;border-inline-start:1px solid var(--line)}
#docs-nav li a{display:flex;justify-content:space-between;align-items:baseline;gap:.5rem;padding:.25rem .625rem;border-radius:8px;color:var(--ink);text-decoration:none}#docs-nav li a:hover{background:var(--tint)}
#docs-nav [aria-current]{background:var(--tint);color:var(--accent);font-weight:600}#docs-nav .verb{font:600 .625rem/1.6 ui-monospace,Menlo,Consolas,monospace;color:var(--soft)}#docs-nav .close{position:sticky;top:0;float:inline-end;margin:0 0 .5rem;padding:.35rem .8rem;font-size:.875rem;background:var(--panel);z-index:1}#docs-nav form{clear:both;margin-bottom:.75rem}#docs-nav input{padding:.4rem .625rem;font-size:.9375rem}
main section{background:none;border:0;border-radius:0;padding:0;margin:0 0 3rem}main h1{margin-top:.5rem}main h2{margin:2rem 0 .75rem}
.crumbs{font-size:.875rem;color:var(--soft);margin:0}
.call{display:flex;flex-wrap:wrap;gap:.25rem .625rem;align-items:center;margin:0 0 1rem}.call code{font-size:.9375rem;overflow-wrap:anywhere}
.method{font:700 .75rem/1.6 ui-monospace,Menlo,Consolas,monospace;padding:0 .5rem;border-radius:6px;background:var(--tint);color:var(--accent)}
.facts{border-block:1px solid var(--line);padding:.75rem 0;margin:1rem 0}.facts dd{font-size:1rem}.facts small{font-weight:400;color:var(--soft);font-size:.875rem}
.fields{margin:.5rem 0}.fields th{width:40%;overflow-wrap:anywhere}.fields th .soft{font-weight:400;font-size:.875rem}.fields td{overflow-wrap:anywhere}
.statuses th{width:5rem}.statuses :is(th,td){padding-block:.375rem}.required{color:var(--note);background:var(--note-tint);font-size:.75rem;font-weight:600;border-radius:6px;padding:.05rem .4rem}
.fields :is(th,td):last-child{padding-inline-end:0}.nested>td{padding-top:0!important}mark{background:var(--note-tint);color:inherit;border-radius:3px}.found code{font-size:.8125rem}.nested>td>details[open],.nested>td>details>details[open]{border-inline-start:2px solid var(--line);padding-inline-start:.875rem}
tr:has(+.nested)>*{border-bottom:0}.values code{display:inline-block;background:var(--tint);border-radius:6px;padding:0 .4rem;margin:.15rem .15rem 0 0;overflow-wrap:anywhere;white-space:normal}
td details>summary{font-size:.875rem;color:var(--accent)}td p{margin:0}
.columns{display:grid;gap:1rem 2.5rem;grid-template-columns:minmax(0,1fr)}.columns>*{min-width:0}.columns pre{--lines:18}.sent .outcome{display:grid;grid-template-columns:1fr 1fr;gap:.375rem .75rem}.send{position:sticky;bottom:0;padding:.75rem 0;background:var(--ground)}.send button{margin:0}.samples h2{font-size:.9375rem;margin:0 0 .25rem}.samples h2:not(:first-child){margin-top:1.5rem}
.list{list-style:none;margin:0;padding:0}.list li{padding:.625rem 0;border-bottom:1px solid var(--line)}.list a{font-weight:600}.entry{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}main details>summary>h2{display:inline;margin:0}.list code{overflow-wrap:anywhere}.list p{margin:.125rem 0 0}.entry{align-items:baseline;margin-bottom:.5rem}.entry h2{margin:0!important}.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(22rem,100%),1fr));gap:0 2.5rem}.cost{white-space:nowrap}.values code[hidden]{display:none}details:has(.values.all)>input{margin-top:.25rem;padding:.3rem .6rem;font-size:.875rem}a.same{font-size:.875rem}.values.all{max-height:16rem;overflow:auto;border:1px solid var(--line);border-radius:8px;padding:.375rem .5rem;margin-top:.25rem}.columns pre{--ground:var(--panel)}.values:has(+details[open]) code{display:none}
.steps{padding-inline-start:1.25rem}.steps li{margin:.75rem 0}.steps code{white-space:nowrap}
@media(max-width:40rem){.list div+p.soft:not(.found){display:none}table.statuses tr{display:flex;padding:.375rem 0}table.statuses th{flex:none;width:3.75rem!important}.list li{padding:.5rem 0}main section{margin-bottom:2rem}.columns .tabs pre{--lines:7}#body{height:16rem}.send button{width:100%}.fields th{width:auto}.fields.stack tr:has(+.nested){border-bottom:0;padding-bottom:0}.fields .fields>tbody>tr:last-child{border-bottom:0;padding-bottom:0}}
@media(min-width:64rem){
body{display:grid;grid-template:"h h" auto "n m" 1fr "n f" auto/17rem minmax(0,1fr);max-width:96rem;margin:0 auto}
header{grid-area:h}main{grid-area:m}footer{grid-area:f}:is(main,footer){padding-inline-start:2rem}:is(.menu,#docs-nav .close){display:none}
#docs-nav{grid-area:n;display:block;position:sticky;inset:0 auto auto 0;margin:0;width:auto;height:auto;max-height:100vh;overflow:auto;scrollbar-width:thin;background:linear-gradient(var(--ground) 45%,#0000) top/100% 3rem no-repeat local,linear-gradient(#0000,var(--ground) 55%) bottom/100% 3rem no-repeat local,linear-gradient(var(--shade),#0000) top/100% 1rem no-repeat,linear-gradient(#0000,var(--shade)) bottom/100% 1rem no-repeat;border-inline-end:1px solid var(--line)}
.columns{grid-template-columns:minmax(0,1fr) minmax(0,26rem)}.samples{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow:auto}.samples:not(.sent) pre{max-height:calc(round(down,(100vh - 18rem)/2,1lh) + var(--top) + .3rem)}.samples.sent{position:static;max-height:none;overflow:visible}}
@media(min-width:84rem){.columns{grid-template-columns:minmax(0,1fr) minmax(0,32rem)}}`;
