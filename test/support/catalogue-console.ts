import { Browser, type Shown } from './browser.ts';

export const token = 'adm_of_the_console_and_long_enough';
export const base = '/admin/console/catalogue';

let addresses = 0;

/** Returns a browser that the admin token has signed in. */
export async function signedIn(url: string): Promise<Roaming> {
  const owner = new Roaming(url);
  await owner.open('/admin/console/sign-in', { token, to: '/admin' });
  return owner;
}

/** A browser that sends each request from another address, so that no limit applies. */
export class Roaming extends Browser {
  override open(path: string, form?: Readonly<Record<string, string>>): Promise<Shown> {
    addresses += 1;
    return this.withAddress(`198.51.${Math.floor(addresses / 200)}.${addresses % 200}`).open(path, form);
  }
}

export const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
/** The value of a hidden field. */
export const hidden = (html: string, name: string) =>
  unescaped(
    new RegExp(`name="${name}" (?:value="([^"]*)"|hidden>\n(.*?)</textarea>)`, 's')
      .exec(html)
      ?.slice(1)
      .find((it) => it !== undefined) ?? '',
  );

/** Sends the form of a review as a browser does: with CRLF, and follows the redirect. */
export function publish(owner: Browser, review: Shown, note = ''): Promise<Shown> {
  const text = hidden(review.html, 'text').replaceAll('\n', '\r\n');
  return owner.send(`${base}/publish`, { act: 'publish', base: hidden(review.html, 'base'), text, note });
}

/** The fields of the form that leads from a review back to its edit. */
export function backOf(review: Shown): { path: string; fields: Record<string, string> } {
  const [, path = '', form = ''] =
    /<form id="back" method="post" action="([^"]*)">(.*?)<\/form>/s.exec(review.html) ?? [];
  const all = form.matchAll(/name="([^"]*)" (?:value="([^"]*)"|hidden>\n(.*?)<\/textarea>)/gs);
  const fields = [...all].map(([, name = '', value, text = '']) => [
    unescaped(name),
    unescaped(value ?? text),
  ]);
  return { path, fields: Object.fromEntries(fields) };
}

/** Opens a form, changes some of its fields and sends it. */
export async function edit(owner: Browser, form: string, changes: Record<string, string>): Promise<Shown> {
  const { html } = await owner.open(`${base}/${form}`);
  return owner.open(`${base}/${form}`, { base: hidden(html, 'base'), ...changes });
}
