export type Shown = { status: number; headers: Headers; html: string };

/** A browser without scripts that keeps cookies and reports the origin of its forms. */
export class Browser {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly cookies: Map<string, string>;
  /** The site that its forms come from (`Sec-Fetch-Site`). */
  site = 'same-origin';

  constructor(
    base: string,
    headers: Readonly<Record<string, string>> = {},
    cookies: Map<string, string> = new Map(),
  ) {
    this.#base = base;
    this.#headers = headers;
    this.cookies = cookies;
  }

  /** Returns the same browser at another process of the shop. */
  at(base: string): Browser {
    return new Browser(base, this.#headers, this.cookies);
  }

  /** Returns a browser with a copy of the cookies, separate from this one's. */
  copy(base: string): Browser {
    return new Browser(base, this.#headers, new Map(this.cookies));
  }

  /** Returns the same browser at another address, behind the proxy. */
  withAddress(address: string): Browser {
    return new Browser(this.#base, { ...this.#headers, 'x-forwarded-for': address }, this.cookies);
  }

  async open(path: string, form?: Readonly<Record<string, string>>): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(this.#base + path, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        ...this.#headers,
        ...(cookie && { cookie }),
        ...(form && { 'sec-fetch-site': this.site }),
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, html: await answer.text() };
  }

  /** Sends a form and follows its redirect, as a browser does. */
  async send(path: string, form: Readonly<Record<string, string>>): Promise<Shown> {
    const answer = await this.open(path, form);
    const location = answer.status === 303 ? answer.headers.get('location') : null;
    return location === null ? answer : this.open(location.replace(/#.*$/, ''));
  }
}
