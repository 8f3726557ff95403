import { createHash } from 'node:crypto';
import { policy as pagePolicy } from '@sluice/kernel/page-style';
import { html, raw } from 'hono/html';
import type { Html } from '../../pages/frame.ts';

/** States a price as that of a thousand: the tables of the shop do so below a cent. Part of the script, so it uses nothing else. */
function inThousands(price: string): string {
  const usd = /^\s*\d{1,9}(\.\d{1,6})?\s*$/.test(price) ? Number(price) * 1000 : 0;
  if (usd === 0 || usd >= 1e9) return '';
  const figures = { minimumFractionDigits: 2, maximumFractionDigits: 3 };
  return `= ${usd.toLocaleString('en', figures)} USD per 1,000`;
}

/** Time without input until the preview follows the form. */
const previewMs = 300;

/**
 * Asks before a form with edits is left in another way than by its buttons, keeps the prices of a thousand, and requests the preview of the branding as it
 * is filled in. The forms also work without it.
 */
const code = `(()=>{
const perThousand=${inThousands};
const form=document.querySelector('form[data-edits]');
let isDone=false;
const isChanged=one=>{
  if(one.type==='hidden'||one.type==='search')return false;
  if(one.options)return [...one.options].some(it=>it.selected!==it.defaultSelected);
  if(one.type==='checkbox'||one.type==='radio')return one.checked!==one.defaultChecked;
  return 'defaultValue' in one&&one.value!==one.defaultValue
};
form.addEventListener('submit',()=>{isDone=true});
form.querySelector('.actions a').addEventListener('click',()=>{isDone=true});
const sums=[...form.querySelectorAll('output')];
const show=()=>{for(const sum of sums)sum.textContent=perThousand(form.elements[sum.htmlFor.value].value)};
if(sums.length>0)form.addEventListener('input',show);
const preview=form.querySelector('[data-preview]');
let timer,last;
const request=async()=>{
  last?.abort();
  last=new AbortController();
  const body=new FormData(form);
  body.set('act','preview');
  try{
    const reply=await fetch(form.action,{method:'POST',body,signal:last.signal});
    const next=new DOMParser().parseFromString(await reply.text(),'text/html').querySelector('[data-preview]');
    if(next)preview.replaceChildren(...next.childNodes)
  }catch{}
};
if(preview)form.addEventListener('input',()=>{clearTimeout(timer);timer=setTimeout(request,${previewMs})});
addEventListener('pageshow',()=>{isDone=false;show()});
addEventListener('beforeunload',event=>{
  if(!isDone&&(form.dataset.edits==='unsent'||[...form.elements].some(isChanged)))event.preventDefault()
})
})()`;

const source = `'sha256-${createHash('sha256').update(code).digest('base64')}'`;

/**
 * The headers of an editor and of the review of its edits. The browser may keep these pages, unlike others of the console, so that Back returns to a form
 * as it was filled in. They contain the catalogue, and no secret.
 */
export const headers = {
  'content-security-policy': `${pagePolicy("'self'", source)}; connect-src 'self'`,
  'cache-control': 'private, no-cache',
};

/** The script, after the form with the attribute `data-edits`. */
export function script(): Html {
  return html`<script>${raw(code)}</script>`;
}

/** The price of a thousand below the field of a price, which the script keeps. */
export function perThousand(name: string, price: string): Html {
  return html`<output class="hint" for="${name}">${inThousands(price)}</output>`;
}
