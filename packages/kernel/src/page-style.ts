/** The colours of all pages, for light and dark mode. */
export const palette = `
:root{color-scheme:light dark;--ground:#f5f3ee;--panel:#fff;--ink:#1d1c1a;--soft:#5f5b54;--line:#dcd7cd;--accent:#0b5f52;--on-accent:#fff;--tint:#e3f1ed;--note:#6b4a00;--note-tint:#fbefcf;--bad:#a3231c;--one:#0b5f52;--two:#3765bd;--three:#b35c14;--four:#84439f;--rest:#77726a;--shade:#1d1c1a2b}
@media(prefers-color-scheme:dark){:root{--ground:#151513;--panel:#1f1e1c;--ink:#efece5;--soft:#aca79c;--line:#35332f;--accent:#7fd6c2;--on-accent:#07251f;--tint:#16312b;--note:#f3d58a;--note-tint:#33290f;--bad:#f2a39c;--one:#7fd6c2;--two:#8fb2f3;--three:#f0ad6d;--four:#d0a2ec;--rest:#8f8a80;--shade:#0009}}`;

/** Styles of code and secrets with a copy button: beside a secret, in the row of the tabs or heading above, or in a row above the code. */
export const copyStyle = `
.code{position:relative}button.copy{position:absolute;inset-block-start:.4rem;inset-inline-end:.4rem;margin:0;padding:.2rem .6rem;font-size:.75rem;font-weight:600;line-height:1.4;background:var(--panel);color:var(--ink);border:1px solid var(--line);border-radius:8px;cursor:pointer}
.code>pre{--top:2.25rem}.code>pre.secret{--top:.875rem;padding-inline-end:5.5rem}pre.secret{white-space:pre-wrap;overflow-wrap:anywhere;max-height:none;user-select:all}`;

/** The stylesheet of all pages. Pages load nothing. */
export const style = `${palette}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main,footer{max-width:62rem;margin:0 auto;padding:0 1.25rem}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1.5rem;padding-top:1.25rem;padding-bottom:1.25rem}
header nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}@media(max-width:30rem){header{gap:.25rem .75rem}header nav{gap:.25rem .75rem;font-size:.875rem}}
.skip:not(:focus),.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}.skip:focus{position:absolute;padding:.5rem 1rem;background:var(--panel)}
header .name{font-weight:700;color:var(--ink);text-decoration:none;margin-inline-end:auto}header .name img{height:2rem;max-width:10rem;vertical-align:middle;margin-inline-end:.6rem}
@media(prefers-color-scheme:dark){header .name img{background:#fff;padding:.2rem .35rem;border-radius:6px}}
header a,footer a{color:var(--soft)}header [aria-current]{color:var(--ink);font-weight:600}
footer{padding-top:2rem;padding-bottom:3rem;color:var(--soft);font-size:.875rem;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
section{background:var(--panel);border:1px solid var(--line);border-radius:16px;padding:1.5rem;margin:0 0 1.25rem}
@media(max-width:36rem){section{padding:1.125rem;border-radius:12px}}
h1{font-size:clamp(1.75rem,4vw,2.5rem);line-height:1.15;letter-spacing:-.02em;margin:1.5rem 0 .75rem;text-wrap:balance}
h2{font-size:1.25rem;letter-spacing:-.01em;margin:0 0 .75rem}h3{font-size:1rem;margin:1.25rem 0 .25rem}
p{margin:.5rem 0;text-wrap:pretty}.soft{color:var(--soft)}.lead{font-size:1.125rem;color:var(--soft);max-width:46rem;margin-bottom:1.75rem}
a{color:var(--accent);text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:6px}
.wide{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%}th,td{text-align:start;padding-block:.625rem;padding-inline:0 1rem;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child>*{border-bottom:0}th{font-weight:600}thead th{color:var(--soft);font-size:.875rem;font-weight:500}
.number{text-align:end;padding-inline-start:.75rem;font-variant-numeric:tabular-nums;white-space:nowrap}.number:last-child{padding-inline-end:0}
code,pre,textarea,input.code{font:.8125rem/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
pre{--top:.875rem;--lines:22;margin:.5rem 0 0;padding:var(--top) 1rem .875rem;background:linear-gradient(var(--ground) 45%,#0000) top/100% 2rem no-repeat local,linear-gradient(#0000,var(--ground) 55%) bottom/100% 2rem no-repeat local,linear-gradient(var(--shade),#0000) top/100% .875rem no-repeat,linear-gradient(#0000,var(--shade)) bottom/100% .875rem no-repeat,var(--ground);border:1px solid var(--line);border-radius:10px;overflow:auto;max-height:calc(var(--lines)*1lh + var(--top) + .3rem)}pre.secret{margin-bottom:1.25rem}
label{display:block;font-size:.875rem;color:var(--soft);margin:.75rem 0 .25rem}
input,select,textarea{width:100%;padding:.6rem .75rem;border:1px solid var(--soft);border-radius:10px;background:var(--panel);color:var(--ink);font-size:1rem}
input:not(.code),select{font-family:inherit}@media(min-width:40.01rem){:is(input,textarea).code{font-size:.8125rem}}textarea{resize:vertical}
button,.button{display:inline-block;margin-top:1rem;padding:.65rem 1.1rem;border:0;border-radius:10px;background:var(--accent);color:var(--on-accent);font-family:inherit;font-size:1rem;font-weight:600;line-height:1.4;text-decoration:none;cursor:pointer}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;margin:0 0 1.5rem}.actions>*{margin-top:.5rem}.actions form button{margin-top:0}:is(section,section>form)>.actions:last-child{margin-bottom:0}
.button.plain,button.plain{background:none;color:var(--accent);box-shadow:inset 0 0 0 1.5px var(--accent)}.fault{color:var(--bad);font-size:.875rem;margin:.25rem 0 0}[aria-invalid=true]{border-color:var(--bad);box-shadow:0 0 0 1px var(--bad)}
button.quiet{background:none;color:var(--accent);padding:0;margin:0;text-decoration:underline;text-underline-offset:.2em;font-weight:400}
button.danger{background:var(--bad);color:var(--panel)}:is(.button,button).plain.danger{background:none;color:var(--bad);box-shadow:inset 0 0 0 1.5px var(--bad)}button.quiet.danger{background:none;color:var(--bad)}
@media(max-width:40rem){table.stack thead{position:absolute;clip-path:inset(50%)}table.stack :is(tr,th,td){display:block;border:0;padding:0}table.stack tr{padding:.75rem 0;border-bottom:1px solid var(--line)}:not(.stack)>*>tr>*{white-space:nowrap}
table.stack td[data-label]{display:flow-root;text-align:end;overflow-wrap:anywhere}table.stack td[data-label]::before{content:attr(data-label);float:inline-start;margin-inline-end:1rem;color:var(--soft);font-weight:400}table.stack .number{white-space:normal}table.stack .number:not([data-label]){text-align:start}table.stack td:empty{display:none}
table.compact tr:last-child{border:0}table.compact tr{display:flex;flex-wrap:wrap;align-items:baseline;column-gap:.75rem;overflow-x:clip;padding:.6rem 0 .6rem .25rem;margin-inline-start:-.25rem}table.compact tr::before{content:"";order:1;flex-basis:100%}table.compact :is(th,td){line-height:1.75}table.compact th[scope=row]{flex:1 1 0;min-width:0}
table.compact :is(td,td[data-label]):not(:empty,[data-as=lead]){order:2;display:block;position:relative;inset-inline-start:-1.25rem;min-width:0;margin-inline-end:-.75rem;padding-inline-start:1.25rem;text-align:start;font-size:.875rem;color:var(--soft)}table.compact td:not(:empty,[data-as=lead])::after{content:"\\b7";position:absolute;inset-block-start:0;inset-inline-start:.5rem}
table.compact td[data-label]::before{content:attr(data-label) " ";float:none;margin:0}table.compact td[data-as]::before{content:none}table.compact td[data-as=lead]:not(:empty){flex:none;max-width:65%;text-align:end;color:var(--ink)}table.compact form{display:inline}table.compact td:has(details){flex-basis:100%}table.compact td:has(>form)::after{content:none!important}}
.cards{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr))}
.card{border:1px solid var(--line);border-radius:12px;padding:1.125rem;display:flex;flex-direction:column}.card form,.card .button{margin-top:auto}
.price{font-size:1.5rem;font-weight:650;letter-spacing:-.01em;margin:.25rem 0}.price small{font-size:.875rem;font-weight:400;color:var(--soft)}
.facts{display:flex;flex-wrap:wrap;gap:.75rem 2rem;margin:0}.facts div{min-width:7rem}.facts dt{color:var(--soft);font-size:.875rem}.facts dd{margin:0;font-size:1.25rem;font-weight:650;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.facts .id{font:.8125rem/2 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
.note,.ok{margin:.5rem 0 1.25rem}.note{background:var(--note-tint);color:var(--note);border-radius:10px;padding:.75rem 1rem}
.ok{background:var(--tint);border-radius:10px;padding:.75rem 1rem}.words{overflow-wrap:anywhere}.hint{color:var(--soft);font-size:.875rem;margin:.25rem 0 0}
.sign{display:inline-block;padding:0 .5rem;border-radius:6px;font-family:inherit;font-size:.8125rem;font-weight:400;line-height:1.6;background:var(--tint);color:var(--ink);white-space:nowrap;vertical-align:middle;letter-spacing:0}.sign.bad{background:var(--note-tint);color:var(--note)}
input[type=checkbox],input[type=radio]{accent-color:var(--accent)}textarea:not(.code){font:inherit}input:user-invalid,textarea:user-invalid{border-color:var(--bad)}
@media(pointer:coarse){header nav a,footer a,nav.sections a,header>a{padding-block:.6rem}footer{gap:0 1.25rem}}
.outcome{display:flex;flex-wrap:wrap;gap:.25rem 1.75rem;margin:0}@media(max-width:40rem){.outcome{display:grid;grid-template-columns:1fr 1fr;gap:.375rem .75rem}}.outcome dt{font-size:.8125rem;color:var(--soft)}.outcome dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
ul.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:.5rem 0;padding:0;font-size:.875rem}ul.legend span{display:inline-block;width:.75rem;height:.75rem;border-radius:3px;margin-inline-end:.5rem}
details>summary{cursor:pointer;padding:.375rem 0}summary>h2{display:inline;margin:0}section>details:only-child>summary{padding-block:0}
pre b{font-weight:400}pre .s{color:var(--one)}pre .k{color:var(--two)}pre .n{color:var(--note)}pre .w{color:var(--four)}pre .c{color:var(--soft)}
.tabs{border:0;margin:0;padding:0;min-width:0;position:relative}.tabs>input{position:absolute;opacity:0;width:1px;padding:0}.tabs>input+label{display:inline-block;margin:0;padding:.375rem .75rem;cursor:pointer;border-radius:8px 8px 0 0}
.tabs>input:checked+label{color:var(--ink);font-weight:600;box-shadow:inset 0 -2px var(--accent)}.tabs>input:focus-visible+label{outline:3px solid var(--accent);outline-offset:-3px}
.tabs>.tab{display:none}.tabs>input:nth-of-type(1):checked~.tab:nth-of-type(1),.tabs>input:nth-of-type(2):checked~.tab:nth-of-type(2),.tabs>input:nth-of-type(3):checked~.tab:nth-of-type(3),.tabs>input:nth-of-type(4):checked~.tab:nth-of-type(4){display:block}
${copyStyle}
.tabs pre{margin-top:0}[data-copy] .tabs{padding-inline-end:5.5rem}[data-copy] .tabs>.tab{margin-inline-end:-5.5rem}.tabs .code{position:static}.tabs .copy{inset-block-start:.2rem;inset-inline-end:0}
:is(.samples h2,.demo .call,.demo p):has(+.code){padding-inline-end:5.5rem}:is(.samples h2,.demo .call,.demo p)+.code>.copy{inset-block-start:-1.8rem;inset-inline-end:0}:is(.tabs .code,.samples h2+.code,.demo .call+.code,.demo p+.code)>pre{--top:.875rem}`;

/**
 * The content security policy of a page. `formAction` limits the targets of its forms, redirects included.
 * @param script the source of its only script, as a digest; none for a page without scripts
 */
export function policy(formAction: string, script = "'none'"): string {
  return `default-src 'none'; ${script === "'none'" ? '' : `script-src ${script}; `}style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;
}

/** Headers of a page that shows what only its visitor may see. `formAction` limits the targets of its forms. */
export function pageHeaders(formAction: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    vary: 'accept, cookie',
    'content-security-policy': policy(formAction),
    // Not `no-referrer`: browsers would then send `Origin: null` with the site's own forms.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  };
}
