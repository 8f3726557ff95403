import { path } from '@sluice/kernel/endpoints';
import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/catalog/plan.ts';
import * as AuthMd from '../../src/discovery/auth-md.ts';
import type { BearerRefusal } from '../../src/identity/bearer.ts';
import * as Grant from '../../src/identity/grant.ts';
import * as Metadata from '../../src/identity/metadata.ts';
import * as Registration from '../../src/identity/registration.ts';
import * as Recipe from '../../src/identity/registration-recipe.ts';
import * as Revocation from '../../src/identity/revocation.ts';
import { publicUrl } from './shop.ts';

const usd = (text: string) => Money.parse(text) ?? Money.zero;
const units = (amount: number) => ({ asset: 'unit' as const, amount });
const common = { description: '', covers: '*' as const, requestsPerSecond: 5 };
const plans: Plan[] = [
  {
    ...common,
    id: 'trial',
    name: 'Trial',
    kind: 'trial',
    included: units(25),
    includedWhenClaimed: units(100),
    oncePer: [],
    perHour: null,
  },
  { ...common, id: 'credit', name: 'Credit', kind: 'credit', min: usd('0.50'), max: usd('1000') },
  {
    ...common,
    id: 'start',
    name: 'Start',
    kind: 'subscription',
    price: usd('99'),
    every: 'month',
    included: units(200_000),
    rollover: false,
    graceDays: 3,
  },
];
const guide: AuthMd.Guide = {
  name: 'Prospect Data',
  publicUrl,
  plans,
  example: {
    method: 'POST',
    path: '/v2/jobs/company',
    body: { company_network_url: "https://network.example/company/o'neil" },
  },
  offers: { claim: false },
};

/** Returns every address of the shop that a document names, at any depth. */
function addresses(document: unknown): string[] {
  return [...JSON.stringify(document).matchAll(/"(https:\/\/shop\.example[^"]*)"/g)].flatMap(
    ([, url]) => url ?? [],
  );
}

describe('the metadata', () => {
  test('of the resource names the resource as it is asked for, and its authorization server (RFC 9728)', () => {
    expect(Metadata.protectedResource(publicUrl, 'Prospect Data', { claim: false })).toMatchObject({
      resource: publicUrl,
      authorization_servers: [publicUrl],
      bearer_methods_supported: ['header'],
    });
  });

  test('of the server has what RFC 8414 requires and the three grants', () => {
    expect(Metadata.authorizationServer(publicUrl, { claim: false })).toMatchObject({
      issuer: publicUrl,
      token_endpoint: `${publicUrl}/oauth2/token`,
      jwks_uri: `${publicUrl}/.well-known/jwks.json`,
      response_types_supported: ['code'],
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
      ],
      token_endpoint_auth_methods_supported: ['none'],
    });
  });

  test('tells agents of every version of auth.md where to register', () => {
    for (const document of [
      Metadata.authorizationServer(publicUrl, { claim: false }),
      Metadata.protectedResource(publicUrl, 'x', { claim: false }),
    ]) {
      expect(document.agent_auth).toEqual({
        skill: `${publicUrl}/auth.md`,
        identity_endpoint: `${publicUrl}/agent/auth`,
        register_uri: `${publicUrl}/agent/auth`,
        identity_types_supported: ['anonymous'],
        anonymous: { credential_types_supported: ['access_token', 'api_key'] },
      });
    }
  });

  test('promises a claim only where there is one', () => {
    expect(Metadata.authorizationServer(publicUrl, { claim: true }).agent_auth).toMatchObject({
      claim_endpoint: `${publicUrl}/agent/auth/claim`,
      claim_uri: `${publicUrl}/agent/auth/claim`,
    });
    const without = [Metadata.authorizationServer(publicUrl, { claim: false }), AuthMd.render(guide)];
    expect(JSON.stringify(without)).not.toContain('claim');
  });

  test('names only routes that exist', () => {
    const known = ['', ...Object.values(path)].map((route) => publicUrl + route);
    const documents = [
      Metadata.authorizationServer(publicUrl, { claim: true }),
      Metadata.protectedResource(publicUrl, 'x', { claim: true }),
    ];
    expect(addresses(documents).length).toBeGreaterThan(10);
    for (const url of addresses(documents)) expect(known).toContain(url);
  });
});

describe('the recipe of a 401', () => {
  const recipe = Recipe.registrationRecipe(publicUrl, 'POST', '/v2/jobs/company?page=2');

  test('is a request that registers as it stands', () => {
    expect(recipe).toMatchObject({
      method: 'POST',
      url: `${publicUrl}/agent/auth`,
      docs: `${publicUrl}/auth.md`,
    });
    expect(recipe.headers['content-type']).toBe('application/json');
    expect(Registration.parse(JSON.parse(JSON.stringify(recipe.body)))).toMatchObject({ kind: 'anonymous' });
  });

  test('says in data what to take, how to send it and what to send again', () => {
    expect(recipe.then).toMatchObject({
      take: '/access_token',
      send: { header: 'authorization', value: 'Bearer {access_token}' },
      retry: { method: 'POST', url: `${publicUrl}/v2/jobs/company?page=2` },
    });
  });

  test('says how to renew, in a form that the token endpoint takes', () => {
    const { renew } = recipe.then;
    expect(renew.url).toBe(`${publicUrl}/oauth2/token`);
    expect(Grant.parse(String(renew.body).replace('{identity_assertion}', 'a.b.c'), [])).toEqual({
      kind: 'assertion',
      assertion: 'a.b.c',
    });
  });

  test('never sends a token to another host', () => {
    for (const target of [
      '@evil.example/',
      'http://evil.example/',
      '.evil.example/',
      ':80@evil.example/',
      '*',
      '',
      `/${'x'.repeat(3000)}`,
    ]) {
      expect(Recipe.registrationRecipe(publicUrl, 'GET', target).then).not.toHaveProperty('retry');
    }
    for (const target of [
      '//evil.example/',
      '/\\evil.example',
      '/@evil.example',
      '/?x=http://evil.example',
    ]) {
      const { retry } = Recipe.registrationRecipe(publicUrl, 'GET', target).then;
      expect(new URL(retry?.url ?? '').origin).toBe(publicUrl);
    }
  });
});

describe('the challenge of a 401', () => {
  test('points to the metadata, with an error only for who sent a token (RFC 6750, RFC 9728)', () => {
    const plain = `Bearer realm="${publicUrl}", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`;
    expect(Recipe.challenge(publicUrl, { kind: 'absent' })).toBe(plain);
    const refusals: BearerRefusal[] = [
      { kind: 'expired' },
      { kind: 'revoked' },
      { kind: 'invalid', reason: 'type' },
      { kind: 'invalid', reason: 'signature' },
    ];
    for (const refusal of refusals) {
      expect(Recipe.challenge(publicUrl, refusal)).toMatch(
        /^Bearer realm="[^"]*", resource_metadata="[^"]*", error="invalid_token", error_description="[a-z ]+"$/,
      );
      expect(Recipe.challenge(publicUrl, refusal).startsWith(plain)).toBe(true);
    }
  });
});

describe('auth.md', () => {
  /** Returns the shell commands in a text: the path that each requests, and its arguments. */
  function requests(text: string): { path: string; json: unknown; form: string }[] {
    return [...text.matchAll(/^curl .*$/gm)].map(([line]) => {
      const data = /-d '((?:[^']|'\\'')*)'/.exec(line)?.[1]?.replaceAll("'\\''", "'");
      const form = [...line.matchAll(/--data-urlencode "?([^" ]+)"?/g)].map(([, pair]) => pair);
      return {
        path: /"\$SHOP([^"]*)"/.exec(line)?.[1] ?? '',
        json: data === undefined ? undefined : JSON.parse(data),
        form: form.join('&'),
      };
    });
  }

  test('shows requests that the routes accept as they stand', () => {
    const found = new Map(
      requests(AuthMd.render({ ...guide, offers: { claim: true } })).map((request) => [
        request.path,
        request,
      ]),
    );
    expect([...found.keys()]).toEqual([
      '/agent/auth',
      '/v2/jobs/company',
      '/oauth2/token',
      '/plans/credit/purchase',
      '/agent/auth/claim',
      '/agent/auth/claim/complete',
      '/oauth2/revoke',
    ]);
    expect(Registration.parse(found.get('/agent/auth')?.json)).toMatchObject({ kind: 'anonymous' });
    expect(Grant.parse(found.get('/oauth2/token')?.form ?? '', []).kind).toBe('assertion');
    expect(Revocation.parse(found.get('/oauth2/revoke')?.form ?? '').kind).toBe('revocation');
    expect(found.get('/v2/jobs/company')?.json).toEqual(guide.example.body);
    expect(found.get('/plans/credit/purchase')?.json).toEqual({ amount_usd: '0.50' });
  });

  test('names the shop, its address and its plans with their prices', () => {
    const text = AuthMd.render(guide);
    for (const part of [
      '# Prospect Data',
      `SHOP=${publicUrl}\n`,
      '`credit`',
      '0.50 to 1000.00 USD',
      '`start`',
      '99.00 USD a month',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('speaks of buying only where something is sold, and needs no body where the example has none', () => {
    const text = AuthMd.render({
      ...guide,
      plans: [],
      example: { method: 'GET', path: '/v2/account/key-info' },
    });
    expect(text).not.toContain('/purchase');
    expect(text).toContain('-X GET "$SHOP/v2/account/key-info" -H "authorization: Bearer $ACCESS_TOKEN"\n');
  });

  test('stays under its size whatever the catalogue holds', () => {
    const plan = fc.record({
      id: fc.stringMatching(/^[a-z0-9-]{1,64}$/),
      name: fc.string({ unit: 'grapheme', maxLength: 300 }),
      included: fc.nat(),
    });
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.array(plan, { maxLength: 40 }),
        fc.jsonValue(),
        (name, many, body) => {
          const text = AuthMd.render({
            ...guide,
            name,
            example: { ...guide.example, body },
            plans: many.map((each) => ({
              ...common,
              ...each,
              included: units(each.included),
              kind: 'subscription',
              price: usd('1000000000'),
              every: 'month',
              rollover: false,
              graceDays: 3,
            })),
            offers: { claim: true },
          });
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(AuthMd.guideBytesMax);
        },
      ),
    );
  });
});
