import { createHash } from 'node:crypto';

/**
 * The script of the page: it looks for new mail and adds it above, so that a letter that is being read stays open and where it is. New mail is
 * open until the reader has opened or closed a letter. Without scripts, the reader reloads the page.
 */
export const code = `(()=>{
let chosen=false;
const mails=document.querySelector('#mails');
mails.addEventListener('click',({target})=>{if(target.closest('summary'))chosen=true});
setInterval(async()=>{
  try{
    const text=await(await fetch(location.href)).text();
    const page=new DOMParser().parseFromString(text,'text/html');
    for(const mail of [...page.querySelectorAll('article')].reverse()){
      if(document.getElementById(mail.id))continue;
      document.querySelector('#none')?.remove();
      if(chosen)mail.querySelector('details').open=false;
      mails.prepend(mail);
    }
    const [now,next]=[document,page].map(one=>one.querySelector('#filter'));
    if(now.textContent!==next.textContent&&!now.contains(document.activeElement))now.replaceWith(next);
  }catch{}
},3000);
})()`;

/** The source of the script in a content security policy. */
export const source = `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
