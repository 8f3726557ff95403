import { createHash } from 'node:crypto';

/**
 * The script of a page that waits: it loads the page again after a number of seconds, which its `<body>` has. Without scripts, a
 * `<meta>` in a `<noscript>` does it.
 */
export const code = `setTimeout(()=>location.replace(location.pathname+location.search),document.body.dataset.again*1e3)`;

/** The source of the script in a content security policy. */
export const source = `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
