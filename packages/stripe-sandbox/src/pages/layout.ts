import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Recurring } from '../objects/period.ts';

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A whole page around `content`; every value in a template is escaped by `html`. */
export function layout(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/c/style.css" />
  </head>
  <body>
    <header class="test-mode"><strong>Test mode</strong> <span>This is a sandbox. No money moves; use test cards only.</span></header>
    ${content}
  </body>
</html>`;
}

/** A page that says one thing. */
export function noticePage(title: string, text: string, link?: { url: string; label: string }): Html {
  return layout(
    title,
    html`<main class="panel notice">
      <h1>${title}</h1>
      <p>${text}</p>
      ${link ? html`<p><a class="button" href="${link.url}">${link.label}</a></p>` : ''}
    </main>`,
  );
}

/** A day as people write it: `27 Nov 2026`. */
export function formatDay(seconds: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(seconds * 1_000);
}

/** Formats the interval of a price, such as `every month`. */
export function everySoOften({ interval, interval_count: count }: Recurring): string {
  return count === 1 ? `every ${interval}` : `every ${count} ${interval}s`;
}

/** An amount of minor units in the notation of the shop's pages: `5.00 USD`. */
export function formatAmount(amount: number, currency: string): string {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const format = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${format.format(amount / 10 ** digits)} ${currency.toUpperCase()}`;
}
