import { createHash } from 'node:crypto';
import { policy as pagePolicy } from '@sluice/kernel/page-style';
import { html, raw } from 'hono/html';
import type { Html } from '../../pages/frame.ts';

/** Asks before a form with edits is left in another way than by its buttons. The forms also work without it. */
const code = `(()=>{
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
addEventListener('pageshow',()=>{isDone=false});
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
  'content-security-policy': pagePolicy("'self'", source),
  'cache-control': 'private, no-cache',
};

/** The script, after the form with the attribute `data-edits`. */
export function script(): Html {
  return html`<script>${raw(code)}</script>`;
}
