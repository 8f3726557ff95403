import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as AccessToken from '../../src/identity/access-token.ts';
import * as Assertion from '../../src/identity/assertion.ts';
import * as Bearer from '../../src/identity/bearer.ts';
import * as Claim from '../../src/identity/claim.ts';
import { claimMail } from '../../src/identity/claim-mail.ts';
import * as ClaimToken from '../../src/identity/claim-token.ts';
import * as Email from '../../src/identity/email.ts';
import * as Joins from '../../src/identity/joined-accounts.ts';
import { mailbox } from '../../src/identity/mailbox.ts';
import * as RevocationList from '../../src/identity/revocation-list.ts';
import { english } from '../../src/text/texts.ts';
import { now, publicUrl, ring, session } from './shop.ts';

describe('an email address', () => {
  test.each([
    ['Ann.Lee@Example.COM', 'ann.lee@example.com'],
    [' ann+shop@example.com ', 'ann+shop@example.com'],
    ["o'neil@sub.example.co.uk", "o'neil@sub.example.co.uk"],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
  ])('%s is kept as %s', (text, email) => {
    expect(Email.parse(text)).toBe(email);
  });

  test.each([
    'ann',
    '@example.com',
    'ann@',
    'ann@localhost',
    'ann@example..com',
    'ann@-example.com',
    'a b@example.com',
    'ann@example.com, bob@example.com',
    'ann@example.com\r\nBcc: bob@example.com',
    'Ann <ann@example.com>',
    '"ann"@example.com',
    'ann@[127.0.0.1]',
    'ann@127.0.0.1',
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a.'.repeat(130)}com`,
    'ann\u0000@example.com',
  ])('%j is none', (text) => {
    expect(Email.parse(text)).toBeNull();
  });

  test('that is taken holds nothing that could become a header or a second address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.emailAddress()), (text) => {
        const email = Email.parse(text);
        if (email !== null) expect(email).toMatch(/^[^\s<>,;:"()[\]\\@]+@[a-z\d.-]+$/);
        if (email !== null) expect(Email.parse(email)).toBe(email);
      }),
    );
  });

  test('with a tag is read by who reads the one without', () => {
    expect(mailbox('ann+a+b@example.com')).toBe('ann@example.com');
    expect(mailbox('ann@example.com')).toBe('ann@example.com');
  });

  test.each([
    ['a.n.n+x@gmail.com', 'ann@gmail.com'],
    ['ann@googlemail.com', 'ann@gmail.com'],
    ['ann_lee@protonmail.com', 'annlee@proton.me'],
    ['ann@me.com', 'ann@icloud.com'],
    // Elsewhere a dot or a dash can make another person.
    ['ann.lee@outlook.com', 'ann.lee@outlook.com'],
    ['ann-lee@example.com', 'ann-lee@example.com'],
    ['ann.lee@notgmail.com', 'ann.lee@notgmail.com'],
  ])('%s is the mailbox %s', (email, expected) => {
    expect(mailbox(email)).toBe(expected);
    expect(mailbox(mailbox(email))).toBe(expected);
  });
});

describe('the body', () => {
  test('of a claim names the account by token and the person by email', () => {
    expect(Claim.parseOpening(english, { claim_token: 'ct', email: 'Ann@Example.com' })).toEqual({
      kind: 'opening',
      claimToken: 'ct',
      email: 'ann@example.com',
    });
  });

  test.each([['123456'], ['123 456'], ['123-456']])(
    'of a completion takes the code as people say it: %s',
    (otp) => {
      expect(Claim.parseCompletion(english, { claim_token: 'ct', otp })).toMatchObject({ code: '123456' });
    },
  );

  test.each([
    [null, ['body']],
    [{}, ['claim_token', 'email']],
    [{ claim_token: 7, email: 'ann' }, ['claim_token', 'email']],
    [{ claim_token: 'ct', emial: 'ann@example.com' }, ['body', 'email']],
    [{ claim_token: 'x'.repeat(5_000), email: 'ann@example.com' }, ['claim_token']],
  ])('%j is refused by field', (body, fields) => {
    const parsed = Claim.parseOpening(english, body);
    expect(parsed.kind === 'fault' && parsed.faults.map(({ field }) => field)).toEqual(fields);
  });

  test.each(['12345', '1234567', 'abcdef', '１２３４５６', 123_456])(
    'of a completion with the code %s is refused',
    (otp) => {
      expect(Claim.parseCompletion(english, { claim_token: 'ct', otp })).toMatchObject({
        faults: [{ field: 'otp' }],
      });
    },
  );
});

describe('a code', () => {
  test('has six digits, zeros in front included, each as likely as the other', () => {
    const codes = Array.from({ length: 20_000 }, Claim.newCode);
    for (const code of codes) expect(code).toMatch(/^\d{6}$/);
    const zeros = codes.filter((code) => code.startsWith('0')).length;
    expect(zeros).toBeGreaterThan(1_700);
    expect(zeros).toBeLessThan(2_300);
  });

  test('is kept as a digest that is another one for another account or secret', () => {
    const digests = [
      Claim.digest('s', 'acc_1', '123456'),
      Claim.digest('s', 'acc_2', '123456'),
      Claim.digest('t', 'acc_1', '123456'),
      Claim.digest('s', 'acc_1', '123457'),
    ];
    expect(new Set(digests).size).toBe(4);
    for (const digest of digests) expect(digest).not.toContain('123456');
  });

  test('comes in a mail that says what it does, and to whom an account belongs only to its reader', () => {
    const letter = { to: 'ann@example.com', code: '012345', name: 'Shop\r\nBcc: x', publicUrl };
    const fresh = claimMail(english, { ...letter, known: false });
    const known = claimMail(english, { ...letter, known: true });
    for (const { text, subject } of [fresh, known]) {
      expect(text).toContain('012 345');
      expect(text).toContain('10 minutes');
      expect(subject).not.toMatch(/[\r\n]/);
    }
    expect(known.text).toMatch(/can spend\s+your balance/);
    expect(fresh.text).not.toContain('already');
    expect(fresh.text).toContain('this address can sign in to the account and spend its balance');
    for (const { text } of [fresh, known]) expect(text).not.toMatch(/claim|agent/);
  });
});

describe('a claim token', () => {
  test('claims its account; an assertion does as well', async () => {
    for (const { token } of [
      await ClaimToken.issue(ring, session, now),
      await Assertion.issue(ring, session, now),
    ])
      expect(await ClaimToken.verify(ring, token, now)).toMatchObject({ kind: 'ok', claims: session });
  });

  test('opens nothing else, and an access token claims nothing', async () => {
    const { token } = await ClaimToken.issue(ring, session, now);
    expect(await AccessToken.verify(ring, token, now)).toMatchObject({ kind: 'invalid' });
    expect(await Assertion.verify(ring, token, now)).toMatchObject({ kind: 'invalid' });
    const access = await AccessToken.issue(ring, session, now);
    expect(await ClaimToken.verify(ring, access.token, now)).toMatchObject({ kind: 'invalid' });
  });
});

describe('joins', () => {
  test('are followed to the account that remains', () => {
    const joins = Joins.create(now);
    Joins.add(joins, { from: 'a', to: 'b' }, now);
    Joins.add(joins, { from: 'b', to: 'c' }, now);
    expect(['a', 'b', 'c', 'd'].map((account) => Joins.resolve(joins, account))).toEqual([
      'c',
      'c',
      'c',
      'd',
    ]);
  });

  test('are known for as long as a token can name the old account', () => {
    const joins = Joins.create(now);
    for (let at = 0; at <= RevocationList.holdMs; at += 60_000)
      Joins.add(joins, { from: `a${at}`, to: 'b' }, now + at);
    for (let at = 0; at <= RevocationList.holdMs; at += 60_000)
      expect(Joins.resolve(joins, `a${at}`)).toBe('b');
  });

  test('that are too many to be remembered cost every session one exchange, and nobody his account', async () => {
    const tokenVerifier = { ...Bearer.openTokenVerifier(ring, now), joins: Joins.create(now, 3) };
    const { token } = await AccessToken.issue(ring, session, now);
    for (const from of ['a', 'b', 'c']) Bearer.join(tokenVerifier, { from, to: 'd' }, now);
    expect((await Bearer.verify(tokenVerifier, `Bearer ${token}`, now)).kind).toBe('token');
    Bearer.join(tokenVerifier, { from: 'e', to: 'd' }, now);
    expect(await Bearer.verify(tokenVerifier, `Bearer ${token}`, now)).toEqual({ kind: 'revoked' });
    const later = now + 10_000;
    const fresh = await AccessToken.issue(ring, session, later);
    expect((await Bearer.verify(tokenVerifier, `Bearer ${fresh.token}`, later)).kind).toBe('token');
    expect(Joins.resolve(tokenVerifier.joins, 'e')).toBe('d');
  });
});
