/** The request of the "Try it" form. `body` is null for a method without one. */
export type SampleRequest = { method: string; url: string; body: string | null; token: string };

export function curlSample({ method, url, body, token }: SampleRequest): string {
  const quoted = body?.replaceAll("'", String.raw`'\''`);
  return `curl -X ${method} '${url}' \\\n  -H 'Authorization: Bearer ${token}'${quoted === undefined ? '' : ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${quoted}'`}`;
}

export function typescriptSample({ method, url, body, token }: SampleRequest): string {
  return `const answer = await fetch('${url}', {
  method: '${method}',
  headers: { authorization: 'Bearer ${token}'${body === null ? '' : ", 'content-type': 'application/json'"} },${body === null ? '' : `\n  body: JSON.stringify(${body}),`}
});
console.log(await answer.json(), answer.headers.get('storefront-cost-usd'));`;
}

export function pythonSample({ method, url, body, token }: SampleRequest): string {
  return `import httpx

answer = httpx.request(
    "${method}",
    "${url}",
    headers={"Authorization": "Bearer ${token}"},${body === null ? '' : `\n    content='''${body.replaceAll('\\', '\\\\')}''',`}
)
print(answer.json(), answer.headers["storefront-cost-usd"])`;
}
