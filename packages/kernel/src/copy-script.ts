import { createHash } from 'node:crypto';

/** The script of pages that show code or a secret: a copy button for each. The button's texts are `data-copy` and `data-copied` of the body. */
export const code = `(()=>{
const text=document.body.dataset;
for(const pre of document.querySelectorAll('main pre')){
  const box=document.createElement('div'),button=document.createElement('button');
  box.className='code';button.className='copy';button.type='button';button.textContent=text.copy;
  pre.replaceWith(box);box.append(pre,button);
  button.onclick=async()=>{
    try{await navigator.clipboard.writeText(pre.textContent)}
    catch{getSelection().selectAllChildren(pre);document.execCommand('copy')}
    button.textContent=text.copied;setTimeout(()=>{button.textContent=text.copy},2000)
  }
}
})()`;

/** The source of the script in a content security policy. */
export const source = `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
