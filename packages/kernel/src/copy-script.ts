import { createHash } from 'node:crypto';

/** The script of pages that show code, a secret or an id: a copy button for each. The button's texts are `data-copy` and `data-copied` of the body. */
export const code = `(()=>{
const text=document.body.dataset;
const add=(from,name)=>{
  const button=document.createElement('button');
  button.className=name;button.type='button';button.textContent=text.copy;
  button.onclick=async()=>{
    try{await navigator.clipboard.writeText(from.textContent)}
    catch{getSelection().selectAllChildren(from);document.execCommand('copy')}
    button.textContent=text.copied;setTimeout(()=>{button.textContent=text.copy},2000)
  };
  return button
};
for(const pre of document.querySelectorAll('main pre')){
  const box=document.createElement('div'),button=add(pre,'copy');
  box.className='code';
  pre.replaceWith(box);box.append(pre,button)
}
for(const id of document.querySelectorAll('main .copies'))id.after(' ',add(id,'quiet copy-id'))
})()`;

/** The source of the script in a content security policy. */
export const source = `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
