/** Browsers list HTML before JSON; other clients accept anything, or JSON first (RFC 9110, section 12.5.1). */
export function prefersHtml(accept: string): boolean {
  const types = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  const html = types.indexOf('text/html');
  const json = types.indexOf('application/json');
  return html >= 0 && (json < 0 || html < json);
}
