import { createHash } from 'node:crypto';

/** The script of a receipt: it shows the button that prints the page, which is hidden without scripts. */
export const code = `(()=>{const button=document.querySelector('#print');button.hidden=false;button.onclick=()=>print()})()`;

/** The source of the script in a content security policy. */
export const source = `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
