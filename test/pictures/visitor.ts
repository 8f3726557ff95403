import type { CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { take } from './album.ts';

const cardUsual = { email: 'ada@example.com', number: '4242 4242 4242 4242', expiry: '12 / 40' };
type Fields = Readonly<Record<string, string>>;

/** A browser that takes pictures of one group of pages at a time. */
export class Visitor {
  readonly page: Page;
  group: string;

  constructor(page: Page, group: string) {
    this.page = page;
    this.group = group;
  }

  /** The same browser, with another group of pictures. */
  in(group: string): Visitor {
    return new Visitor(this.page, group);
  }

  /** Does the steps to a state, and takes its pictures. A failure fails the test at its end, so that the states after it are seen all the same. */
  async shot(state: string, steps?: () => Promise<unknown>): Promise<void> {
    try {
      await steps?.();
      await this.page.waitForLoadState();
      await take(this.page, this.group, state);
    } catch (error) {
      expect.soft(String(error).slice(0, 300), `${this.group}: ${state}`).toBe('');
    }
  }

  /** Opens a page and takes its pictures. */
  async see(path: string, state: string): Promise<void> {
    await this.shot(state, () => this.open(path));
  }

  /** Takes the pictures of addresses, each under its state. */
  async visits(states: Fields): Promise<void> {
    for (const [state, path] of Object.entries(states)) await this.see(path, state);
  }

  /** Opens a page, or stays on this one, fills in a form, and takes the pictures of the response. */
  async submit(path: string | null, fields: Fields, button: string | RegExp, state: string): Promise<void> {
    await this.shot(state, async () => {
      if (path !== null) await this.open(path);
      await this.unfoldAll();
      await this.unchecked();
      await this.fill(fields);
      await this.press(button);
    });
  }

  async open(path: string): Promise<void> {
    await this.page.goto(path);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).filter({ visible: true }).first().click();
    await this.page.waitForLoadState();
  }

  /** Presses the first button of the content. */
  async confirm(): Promise<void> {
    await this.page.getByRole('main').getByRole('button').filter({ visible: true }).first().click();
    await this.page.waitForLoadState();
  }

  /** Opens a link of the content, or else of the page. */
  async follow(name: string | RegExp): Promise<void> {
    const inMain = this.page.getByRole('main').getByRole('link', { name });
    const link = (await inMain.count()) > 0 ? inMain : this.page.getByRole('link', { name });
    await link.first().click();
    await this.page.waitForLoadState();
  }

  /** Waits for a text. */
  async text(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Fills in fields by their labels, or by a selector that begins with `#` or `[`. */
  async fill(fields: Fields): Promise<void> {
    for (const [name, value] of Object.entries(fields)) {
      const all = /^[#[]/.test(name) ? this.page.locator(name) : this.page.getByLabel(name, { exact: true });
      const field = all.filter({ visible: true }).first();
      if ((await field.evaluate((one) => one.tagName)) === 'SELECT') await field.selectOption(value);
      else await field.fill(value);
    }
  }

  /** Opens folded parts of the page by their summaries. */
  async unfold(...summaries: (string | RegExp)[]): Promise<void> {
    for (const hasText of summaries) await this.page.locator('summary', { hasText }).first().click();
  }

  /** Opens all that is folded. */
  async unfoldAll(): Promise<void> {
    await this.page.evaluate(
      `document.querySelectorAll('main details').forEach((one) => { one.open = true })`,
    );
  }

  /** Lets the browser send forms as they are, so that the server's refusal is seen. */
  async unchecked(): Promise<void> {
    await this.page.evaluate(`for (const form of document.forms) form.noValidate = true`);
  }

  /** Sends a form from the page that is open. */
  async post(url: string, fields: Fields): Promise<void> {
    const navigated = this.page.waitForNavigation();
    await this.page.evaluate(`(() => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action: ${JSON.stringify(url)} });
      for (const [name, value] of Object.entries(${JSON.stringify(fields)}))
        form.append(Object.assign(document.createElement('textarea'), { name, value }));
      document.body.append(form);
      form.submit();
    })()`);
    await navigated;
  }

  /** Starts the purchase of a plan, and leads to the card page. */
  async buy(plan: string, amount?: string): Promise<void> {
    await this.open('/');
    await this.post('/shop/buy', { plan, ...(amount && { amount_usd: amount }) });
    await this.page.getByLabel('Card number').waitFor();
  }

  /** Fills in the card page and pays. */
  async pay(card: Partial<typeof cardUsual> = {}): Promise<void> {
    const { email, number, expiry } = { ...cardUsual, ...card };
    await this.page.getByLabel('Card number').waitFor();
    const fields = {
      ...{ Email: email, 'Card number': number, Expiry: expiry },
      ...{ 'Security code': '123', 'Name on card': 'Ada Lovelace' },
    };
    for (const [label, value] of Object.entries(fields)) {
      const field = this.page.getByLabel(label, { exact: true });
      if ((await field.count()) > 0 && (await field.isEditable())) await field.fill(value);
    }
    await this.press(/^(Pay|Subscribe|Save)/);
  }

  /** Buys a plan by card. */
  async paid(plan: string, amount?: string, email = cardUsual.email): Promise<void> {
    await this.buy(plan, amount);
    await this.pay({ email });
    await this.page.waitForURL(/\/shop\/account|\/purchases\//);
  }

  /** Gives the page a device that confirms every passkey. */
  async device(): Promise<{ cdp: CDPSession; authenticatorId: string }> {
    const cdp = await this.page.context().newCDPSession(this.page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    return { cdp, authenticatorId };
  }

  async leave(): Promise<void> {
    await this.page.context().close();
  }
}
