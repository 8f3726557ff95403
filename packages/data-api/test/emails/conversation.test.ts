import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Reply from '../../src/emails/reply.ts';
import * as SmtpSession from '../../src/emails/smtp-session.ts';
import * as VerificationStatus from '../../src/emails/verification-status.ts';

const plan: SmtpSession.Plan = {
  helo: 'probe.test',
  from: 'us@probe.test',
  emails: ['a@x.test', 'b@x.test'],
  decoy: 'nobody@x.test',
  encrypts: true,
};

/** Any SMTP reply, with realistic ones more often. */
const reply = fc
  .record({
    code: fc.oneof(fc.constantFrom(220, 250, 250, 250, 421, 450, 550), fc.integer({ min: 200, max: 599 })),
    status: fc.option(fc.constantFrom('2.1.5', '4.2.2', '5.1.1', '5.7.1', '5.2.1')),
    lines: fc.array(fc.constantFrom('STARTTLS', 'ok', 'blocked', 'greylisted'), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map((found): SmtpSession.StepResult => ({ kind: 'reply', reply: found }));
const broken = fc
  .constantFrom<SmtpSession.Break>('closed', 'timeout', 'tls')
  .map((why): SmtpSession.StepResult => ({ kind: 'broken', why }));
/** Next reply of the server; null for the expected one. */
const server = fc.infiniteStream(
  fc.oneof(
    { weight: 30, arbitrary: fc.constant(null) },
    { weight: 8, arbitrary: reply },
    { weight: 1, arbitrary: broken },
  ),
);

function ought(line: string | null): SmtpSession.StepResult {
  const code = line === null || line === 'STARTTLS' ? 220 : line.includes(plan.decoy) ? 550 : 250;
  return { kind: 'reply', reply: { code, status: null, lines: ['x', 'STARTTLS'] } };
}

describe('a conversation', () => {
  it('ends after a few turns whatever the server says, and verifies only who was accepted beside a refused decoy', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(server, (heard) => {
        const conversation = SmtpSession.session(plan);
        const answers = new Map<string, number>();
        let turn = conversation.next();
        for (let turns = 0; !turn.done; turns++) {
          expect(turns).toBeLessThan(20);
          if (turn.value.kind !== 'say') {
            const encrypted: SmtpSession.StepResult = { kind: 'encrypted' };
            turn = conversation.next(turn.value.kind === 'encrypt' ? encrypted : ought(null));
            continue;
          }
          const { line } = turn.value;
          expect(line ?? 'RCPT TO').toMatch(/^(EHLO|HELO|STARTTLS|MAIL FROM|RCPT TO)/);
          const next = heard.next().value ?? ought(line);
          if (line?.startsWith('RCPT TO:<') && next.kind === 'reply')
            answers.set(line.slice(9, -1), next.reply.code);
          turn = conversation.next(next);
        }
        for (const email of plan.emails) {
          const result = VerificationStatus.resultOf(email, turn.value);
          seen.add(result.kind === 'conclusive' ? result.state : 'later');
          if (result.kind !== 'conclusive' || result.state !== 'verified') continue;
          expect([250, 251]).toContain(answers.get(email));
          expect(answers.get(plan.decoy)).toBeGreaterThanOrEqual(500);
        }
      }),
      { numRuns: 5_000, seed: 9 },
    );
    expect(seen).toEqual(new Set(['verified', 'invalid', 'catch_all', 'later']));
  });
});

describe('a reply', () => {
  const one = '250-mx.test\r\n250-SIZE 1000\r\n250 STARTTLS\r\n';

  it('is the same however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(one.length)), (cuts) => {
        const reader = new Reply.Reader();
        const points = [0, ...cuts.sort((a, b) => a - b), one.length];
        const readings = points.slice(1).map((end, at) => reader.read(one.slice(points[at], end)));
        const whole = readings.filter((reading) => reading !== 'incomplete');
        expect(whole).toEqual([{ code: 250, status: null, lines: ['mx.test', 'SIZE 1000', 'STARTTLS'] }]);
        expect(reader.isAhead).toBe(false);
      }),
    );
  });

  it('is read or refused, and never kept beyond its bounds, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('250-', '250 ok\r\n', '\r\n', 'x'.repeat(5_000)))),
        (chunks) => {
          const reader = new Reply.Reader();
          for (const chunk of chunks) {
            const reading = reader.read(chunk);
            if (typeof reading === 'string' && reading !== 'incomplete') return;
          }
        },
      ),
      { numRuns: 2_000 },
    );
    expect(new Reply.Reader().read(`250 ${'x'.repeat(5_000)}`)).toBe('too_long');
    expect(new Reply.Reader().read('250-x\r\n'.repeat(200))).toBe('too_long');
  });

  it.each<[string, Reply.Meaning['kind'], string | null]>([
    ['250 2.1.5 ok', 'accepted', null],
    ['251 will forward', 'accepted', null],
    ['252 cannot verify', 'inconclusive', 'protocol'],
    ['550 5.1.1 unknown', 'refused', 'no_mailbox'],
    ['550 no such user here', 'refused', 'no_mailbox'],
    ['550 5.4.1 Recipient address rejected: Access denied', 'refused', 'no_mailbox'],
    ['550 5.4.1 no route', 'inconclusive', 'temporary'],
    ['550 5.1.8 bad sender', 'inconclusive', 'policy'],
    ['550 5.7.1 blocked', 'inconclusive', 'policy'],
    ['550 relaying denied', 'inconclusive', 'policy'],
    ['554 no', 'inconclusive', 'policy'],
    ['550 5.2.1 disabled', 'refused', 'mailbox_disabled'],
    ['552 5.2.2 full', 'inconclusive', 'mailbox_full'],
    ['552 full', 'inconclusive', 'mailbox_full'],
    ['556 no mail', 'refused', 'no_mail'],
    ['550 5.1.10 null MX', 'refused', 'no_mail'],
    ['450 4.7.1 Greylisted', 'inconclusive', 'greylisted'],
    ['452 4.5.3 too many recipients', 'inconclusive', 'too_many'],
    ['503 bad sequence', 'inconclusive', 'protocol'],
  ])('"%s" to a recipient: %s', (text, kind, reason) => {
    const read = new Reply.Reader().read(`${text}\r\n`);
    if (typeof read === 'string') throw new Error(read);
    expect(Reply.meaning(read)).toEqual(reason === null ? { kind } : { kind, reason });
  });
});
