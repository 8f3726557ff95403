import { html } from 'hono/html';
import type { Around, Html } from '../frame.ts';

/** A place in the navigation of the console. */
export type Room = { name: string; path: string };

/** The front page: its path is a part of all others'. */
export const front = '/admin';

const style = `
header nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;flex-basis:100%;order:1}
header nav a[aria-current]{color:var(--ink);font-weight:600;text-decoration-thickness:2px}
header form{margin:0}header button.quiet{color:var(--soft)}
.columns{display:grid;gap:0 1.25rem;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));align-items:start}
.chart{width:100%;height:10rem;display:block}.chart .gross{fill:var(--accent)}.chart .back{fill:var(--note)}.chart line{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.axis{display:flex;justify-content:space-between;color:var(--soft);font-size:.8125rem;margin:.25rem 0 .75rem}
.heed{list-style:none;margin:0;padding:0}.heed li{padding:.5rem 0;border-bottom:1px solid var(--line)}.heed li:last-child{border:0}
.heed b{display:inline-block;min-width:2.5rem;font-variant-numeric:tabular-nums}
.sign{display:inline-block;padding:0 .5rem;border-radius:6px;font-size:.8125rem;line-height:1.6;background:var(--tint);color:var(--ink);white-space:nowrap}.sign.bad{background:var(--note-tint);color:var(--note)}
.id{font:.8125rem/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
form.row{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end}form.row>div{flex:1 1 12rem}form.row label{margin-top:0}form.row button{margin:0}
nav.pages{display:flex;gap:1.25rem;margin-top:1rem}`;

/** The shop's name, the rooms of the console and the way out; `at` is the path that is looked at, null before the sign-in. */
export function around(shop: string, rooms: readonly Room[], at: string | null): Around {
  const isHere = ({ path }: Room) =>
    path === at || (path !== front && at !== null && at.startsWith(`${path}/`));
  const way = (room: Room): Html =>
    isHere(room)
      ? html`<a href="${room.path}" aria-current="page">${room.name}</a>`
      : html`<a href="${room.path}">${room.name}</a>`;
  const signOut = html`<form method="post" action="/admin/console/sign-out"><button class="quiet">Sign out</button></form>
<nav aria-label="Console">${rooms.map(way)}</nav>`;
  return {
    header: html`<a class="name" href="${front}">${shop}: console</a><a href="/">The shop</a>${at === null ? '' : signOut}`,
    footer: html`<span>Times are UTC, amounts US dollars.</span>`,
    style,
  };
}
