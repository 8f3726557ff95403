/** The look of every page: one quiet column on a phone, two beside each other where there is room. */
export const style = `
:root {
  --ground: #f5f3ee; --panel: #ffffff; --ink: #1d1c1a; --soft: #5f5b54; --line: #dcd7cd; --edge: #8d877c;
  --accent: #0b5f52; --on-accent: #ffffff; --accent-deep: #084a40; --glow: #0b5f5233;
  --alert: #a1241c; --alert-ground: #fdf1ef; --note: #6b4a00; --note-ground: #fbefcf;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #151513; --panel: #1f1e1c; --ink: #efece5; --soft: #aca79c; --line: #35332f; --edge: #77726a;
    --accent: #7fd6c2; --on-accent: #07251f; --accent-deep: #a3e5d6; --glow: #7fd6c240;
    --alert: #ffb0a6; --alert-ground: #3a1d1a; --note: #f3d58a; --note-ground: #33290f;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1, h2, p, ul, dl, dd { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: var(--accent); text-underline-offset: .2em; }
.test-mode {
  padding: .5rem 1rem; background: var(--note-ground); color: var(--note); text-align: center; font-size: .875rem;
}
.test-mode strong { margin-right: .4em; }
.panel {
  background: var(--panel); border: 1px solid var(--line); border-radius: 16px; padding: 1.5rem;
  box-shadow: 0 1px 2px #00000008, 0 12px 32px -16px #00000026;
}
.checkout {
  display: grid; gap: 2rem; max-width: 30rem; margin: 0 auto; padding: 2rem 1rem 3rem;
  grid-template-areas: "summary" "form" "cards";
}
.summary { grid-area: summary; }
.checkout > .panel { grid-area: form; }
.test-cards { grid-area: cards; }
.back { display: inline-block; margin-bottom: 1rem; font-size: .875rem; padding: .25rem 0; }
.to { display: block; font-size: 1rem; font-weight: 500; color: var(--soft); overflow-wrap: anywhere; }
.total { display: block; font-size: 2.5rem; line-height: 1.2; font-weight: 650; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.lines { margin-top: 1.25rem; border-top: 1px solid var(--line); }
.lines li { display: flex; justify-content: space-between; gap: 1rem; padding: .75rem 0; border-bottom: 1px solid var(--line); }
.what { min-width: 0; overflow-wrap: anywhere; }
.note { display: block; font-size: .875rem; color: var(--soft); }
.terms { margin-top: 1.25rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--soft); overflow-wrap: anywhere; }
.summary:has(.terms) .lines { display: none; }
.summary > .note { margin-top: .75rem; }
.quantity { color: var(--soft); white-space: nowrap; }
.amount { font-variant-numeric: tabular-nums; white-space: nowrap; text-align: right; }
h2 { font-size: 1.125rem; font-weight: 600; line-height: 1.3; }
form { display: grid; gap: 1rem; margin-top: 1.25rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; align-items: start; }
.field { display: grid; gap: .375rem; min-width: 0; }
label { font-size: .875rem; font-weight: 550; }
label .note { display: inline; font-weight: 400; }
input, select {
  width: 100%; min-height: 2.875rem; padding: .5rem .75rem; font: inherit; font-variant-numeric: tabular-nums;
  color: var(--ink); background: var(--panel); border: 1px solid var(--edge); border-radius: 10px;
}
input::placeholder { color: var(--soft); opacity: .8; }
input[readonly] { background: var(--ground); color: var(--soft); }
:is(input, select)[aria-invalid] { border-color: var(--alert); box-shadow: inset 0 0 0 1px var(--alert); }
.fault { font-size: .875rem; color: var(--alert); }
button, .button {
  display: block; width: 100%; min-height: 3rem; padding: .625rem 1rem; font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent);
  border-radius: 10px; cursor: pointer; font-variant-numeric: tabular-nums;
}
button:hover, .button:hover { background: var(--accent-deep); border-color: var(--accent-deep); }
button.second { color: var(--ink); background: transparent; border-color: var(--edge); }
button.second:hover { background: var(--ground); }
form > button[type="submit"]:only-of-type { margin-top: .5rem; }
:focus-visible { outline: 3px solid var(--glow); outline-offset: 1px; }
:is(input, select):focus-visible:not([aria-invalid]) { border-color: var(--accent); }
:is(input, select)[aria-invalid]:focus-visible { outline-color: var(--alert); }
details > .field { margin-top: 1rem; }
.terms li + li { margin-top: .5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
.plan h2 { margin-bottom: .5rem; }
.plan p { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; }
a:focus-visible, button:focus-visible, .button:focus-visible { outline-color: var(--accent); outline-offset: 3px; border-radius: 10px; }
.alert { margin-top: 1rem; padding: .875rem 1rem; border-radius: 10px; background: var(--alert-ground); color: var(--alert); font-size: .9375rem; }
.alert:focus { outline: none; }
.alert ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .25rem; }
.alert a { color: inherit; }
.test-cards { font-size: .875rem; color: var(--soft); }
.test-cards h2 { font-size: .875rem; color: var(--ink); }
.test-cards dl { margin: .5rem 0; }
.test-cards dl div { display: grid; grid-template-columns: 9.75rem 1fr; gap: .75rem; padding: .25rem 0; }
.test-cards dt { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .8125rem; line-height: 1.6; color: var(--ink); white-space: nowrap; }
.notice, .challenge { width: min(26rem, calc(100% - 2rem)); margin: 12vh auto 2rem; }
.notice h1, .challenge h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; margin-bottom: .5rem; }
.notice p + p, .notice .after { margin-top: 1.25rem; }
.plan { padding: 1.25rem 0; border-top: 1px solid var(--line); }
.plan form { margin-top: .75rem; }
.bank { font-size: .875rem; font-weight: 600; color: var(--accent); margin-bottom: .75rem; }
details > form { margin-top: 1rem; }
summary { cursor: pointer; color: var(--accent); }
.brand { display: inline-block; text-transform: capitalize; }
.challenge dl, .facts { margin-top: 1.25rem; border-top: 1px solid var(--line); }
.challenge dl div, .facts div { display: flex; justify-content: space-between; gap: 1rem; padding: .625rem 0; border-bottom: 1px solid var(--line); }
.challenge dt, .facts dt { color: var(--soft); }
.challenge dd, .facts dd { font-variant-numeric: tabular-nums; text-align: right; overflow-wrap: anywhere; }
.notice > h1:not(:first-child) { margin-top: 1rem; }
@media print { .test-mode, .notice form, .notice p a { display: none; } }
@media (min-width: 56rem) {
  .checkout {
    max-width: 60rem; gap: 1.5rem 4.5rem; padding: 4rem 2rem; align-items: start;
    grid-template: "summary form" auto "cards form" 1fr / minmax(0, 1fr) 26rem;
  }
  .panel { padding: 2rem; }
}
`;
