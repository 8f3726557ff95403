import { createHash } from 'node:crypto';
import * as CopyScript from '@sluice/kernel/copy-script';

/**
 * The script of the reference and the start page. The pages also work without it. The visitor's key, which it shows in the samples, stays in
 * the page's memory.
 */
export const code = String.raw`${CopyScript.code};(()=>{
const $=(q,r=document)=>[...r.querySelectorAll(q)];
const choose=language=>{for(const input of $('.tabs>input:not([name=response])'))if(input.value===language)input.checked=true};
try{choose(localStorage.getItem('language'))}catch{}
for(const input of $('.tabs>input:not([name=response])'))input.onchange=()=>{
  const top=input.getBoundingClientRect().top;choose(input.value);
  scrollBy(0,input.getBoundingClientRect().top-top);
  try{localStorage.setItem('language',input.value)}catch{}
};
const operation=document.querySelector('#operation');
if(operation){
  const shown=operation.form.elements.shown;
  operation.onchange=()=>{
    try{sessionStorage.setItem('operation',operation.value)}catch{}
    location.assign('/?operation='+encodeURIComponent(operation.value)+'#try')
  };
  addEventListener('pageshow',()=>{
    operation.value=shown.value;
    try{
      const chosen=sessionStorage.getItem('operation');sessionStorage.removeItem('operation');
      if(chosen===shown.value)operation.focus({preventScroll:true})
    }catch{}
  })
}
const folds=$('details.fold'),wide=matchMedia('(min-width:40.01em)');
if(wide.matches)for(const fold of folds)fold.open=true;
wide.onchange=()=>{for(const fold of folds)fold.open=wide.matches};
const nav=document.querySelector('#docs-nav'),here=nav?.querySelector('[aria-current]');
if(here){
  const show=()=>{
    const {top,bottom,height}=nav.getBoundingClientRect(),at=here.getBoundingClientRect();
    if(at.top<top||at.bottom>Math.min(bottom,innerHeight))nav.scrollTop+=at.top-top-height/2
  };
  show();nav.addEventListener('toggle',show)
}
const search=document.querySelector('#docs-search'),links=$('#docs-nav [data-words]');
if(search){
  search.oninput=()=>{
    const words=search.value.toLowerCase().split(/\s+/);
    for(const link of links)link.hidden=!words.every(word=>link.dataset.words.includes(word));
    for(const group of $('#docs-nav [data-group]'))group.hidden=search.value!==''&&!group.querySelector('[data-words]:not([hidden])')
  };
  addEventListener('keydown',event=>{
    if(event.key!=='/'||event.target.closest('input,textarea,select'))return;
    event.preventDefault();search.focus()
  })
}
for(const box of $('.values.all')){
  const input=document.createElement('input'),codes=$('code',box);
  if(codes.length<20)continue;
  input.type='search';input.placeholder=input.ariaLabel=box.dataset.filter;
  input.oninput=()=>{for(const code of codes)code.hidden=!code.textContent.toLowerCase().includes(input.value.trim().toLowerCase())};
  box.before(input)
}
for(const form of $('form:has([data-changed])'))form.oninput=({target})=>{
  if(target!==operation)for(const line of $('[data-changed]',form))line.textContent=line.dataset.changed
};
const key=document.querySelector('#docs-key');
if(key){
  const codes=$('main pre code').map(code=>[code,code.innerHTML]);
  key.oninput=()=>{
    const own=key.value.trim().replace(/[^\w.~+\/=-]/g,'');
    for(const [code,html] of codes)code.innerHTML=own?html.replaceAll('YOUR_API_KEY',own):html
  }
}
})()`;

/** The source of the script in a content security policy. */
export const source = `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
