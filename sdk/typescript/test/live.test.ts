// Tests against a running service: `SLUICE_LIVE_URL` and `SLUICE_LIVE_API_KEY` for the data API; `SLUICE_LIVE_URL` alone for a
// storefront, with `SLUICE_LIVE_SANDBOX_URL` of its card sandbox for purchases. Without them the tests fail, unless `SLUICE_LIVE=off`.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  AuthenticationError,
  InsufficientRecordsError,
  NotFoundError,
  PaymentDeclinedError,
  PlanRequiredError,
  Sluice,
  ValidationError,
} from 'sluice-client';
import * as SuiteCase from './suite-case.ts';

const {
  SLUICE_LIVE_URL: base_url,
  SLUICE_LIVE_API_KEY: api_key,
  SLUICE_LIVE_SANDBOX_URL: sandbox,
  SLUICE_LIVE,
} = process.env;
const company_network_url = 'https://www.network.example/company/northwind-analytics';
const unknown_network_url = 'https://www.network.example/company/nobody-knows-it';

if (base_url && api_key) {
  describe('the data API', () => {
    const sluice = new Sluice({ api_key, base_url });

    it('knows the key', async () => {
      const info = await sluice.account.key_info();
      assert.equal(info.valid, true);
      assert.ok(info.allowed_apis.length > 0);
    });

    it('answers each operation that the key may call', async () => {
      const { allowed_apis } = await sluice.account.key_info();
      const { cases = [] } = SuiteCase.all().find(({ file }) => file === 'operations.json') ?? {};
      const called = new Set<string>();
      for (const { wire, steps } of cases) {
        const path = new URL(wire?.[0]?.request?.url ?? '').pathname;
        const { call = '', with: fields = {} } = steps?.[0] ?? {};
        if (!allowed_apis.includes(path) || called.has(call)) continue;
        called.add(call);
        const { cursor: _, ...first } = fields;
        const [space, method] = call.split('.') as ['search', 'people'];
        assert.ok(
          (await sluice[space][method](call === 'account.key_info' ? undefined : first)) !== null,
          call,
        );
      }
      assert.equal(called.size, allowed_apis.length);
    });

    it('gives each posting of a walk once', async () => {
      const list = sluice.jobs.company({ company_network_url, max_results: 5 });
      const jobs = await list.collect({ max_items: 12 });
      assert.equal(jobs.length, 12);
      assert.equal(new Set(jobs.map(({ url }) => url)).size, 12);
      const all = await sluice.jobs.company({ company_network_url, max_results: 50 }).collect();
      assert.equal(all.length, (await list).total_results);
    });

    it('gives each employee of a walk by page number once', async () => {
      const list = sluice.search.employee_finder({ company_network_url, max_results: 50 });
      const people = await list.collect();
      assert.equal(new Set(people.map(({ network_url }) => network_url)).size, people.length);
      assert.equal(Math.ceil(people.length / 50), (await list).total_pages);
    });

    it('counts the same companies page by page as at once', async () => {
      const fields = { job: { title: { include: ['Engineer'] }, min_per_company: 5 } };
      const names = async (max_results: number) => {
        const found = await sluice.search.tam_by_jobs({ ...fields, max_results }).collect({ max_items: 30 });
        return found.map(({ company }) => company.network_url);
      };
      assert.deepEqual(await names(7), await names(50));
    });

    it('adds up a distribution', async () => {
      const answer = await sluice.enrichment.company_distribution_by_country({ company_network_url });
      const sum = answer.distribution.reduce((total, { count }) => total + count, 0);
      assert.equal(sum, answer.total_employees);
    });

    it('charges nothing for what it does not find', async () => {
      const { results, fair_usage } = await sluice.jobs.company({ company_network_url: unknown_network_url });
      assert.deepEqual(results, []);
      assert.equal(fair_usage.records_used, 0);
    });

    it('reports what is wrong with a request, and what is right', async () => {
      const call = sluice.search.tam_by_jobs({ job: { seniority: { include: ['2-6'] } } });
      await assert.rejects(call, (fault) => {
        assert.ok(fault instanceof ValidationError);
        assert.equal(fault.errors[0]?.field, 'job.seniority.include[0]');
        assert.match(fault.errors[0]?.message ?? '', /2-5/);
        assert.ok(fault.request_id);
        return true;
      });
    });

    it('takes fields that are null for fields left out', async () => {
      const page = await sluice.jobs.company({
        company_network_url,
        job: { title: null },
        max_results: null,
        cursor: null,
      });
      assert.equal(page.max_results, 10);
    });

    it('does not know other keys', async () => {
      const malformed = new Sluice({ api_key: 'nonsense', base_url });
      await assert.rejects(malformed.account.key_info(), AuthenticationError);
      const unknown = new Sluice({ api_key: `sk_${'A'.repeat(43)}`, base_url });
      await assert.rejects(unknown.account.key_info(), NotFoundError);
    });
  });
} else if (base_url) {
  describe('a storefront', () => {
    let sluice: Sluice;
    before(async () => {
      const { access_token } = await Sluice.register({ base_url });
      sluice = new Sluice({ access_token, base_url });
    });

    it('does not know a token that it did not give', async () => {
      const stranger = new Sluice({ access_token: 'not.a.token', base_url });
      await assert.rejects(stranger.jobs.company({ company_network_url }), (fault) => {
        assert.ok(fault instanceof AuthenticationError);
        assert.equal(fault.code, 'token_invalid');
        return true;
      });
    });

    it('lists what it sells', async () => {
      const plans = await sluice.plans();
      assert.ok(plans.some(({ kind, purchase }) => kind === 'credit' && purchase?.url.startsWith(base_url)));
    });

    it('serves a call on the trial, and offers plans when it is used up', async () => {
      const { results } = await sluice.jobs.company({ company_network_url, max_results: 5 });
      assert.equal(results.length, 5);
      await assert.rejects(sluice.jobs.company({ company_network_url }).collect(), (fault) => {
        assert.ok(fault instanceof PlanRequiredError || fault instanceof InsufficientRecordsError);
        assert.ok(fault.plans.some(({ id }) => id === 'credit'));
        return true;
      });
    });

    it('shows a call in the account as it was charged', async () => {
      const [latest] = await sluice.account.calls().collect({ max_items: 1 });
      assert.ok(latest);
      assert.deepEqual(await sluice.account.call(latest.call), { success: true, ...latest });
      const { usage } = await sluice.account.usage({ group: 'operation' });
      assert.ok(usage.some(({ operation, calls }) => operation === latest.operation && calls > 0));
      assert.ok((await sluice.account.overview()).plans.some(({ kind }) => kind === 'trial'));
    });

    it('takes a key until it is revoked', async () => {
      const { id, key } = await sluice.account.create_key({ name: 'live test', budget_usd: '1.00' });
      assert.ok((await sluice.account.keys()).some((one) => one.id === id));
      const other = new Sluice({ access_token: key, base_url });
      await other.account.overview();
      assert.equal((await sluice.account.revoke_key(id)).revoked, true);
      await assert.rejects(other.account.overview(), AuthenticationError);
    });

    it('says where to pay, and how', async () => {
      const purchase = await sluice.purchase('credit', { amount_usd: '0.50' });
      assert.equal(purchase.code, 'payment_required');
      assert.ok(purchase.code === 'payment_required' && purchase.checkout_url.startsWith(base_url));
      assert.match(purchase.www_authenticate ?? '', /^Payment /);
    });

    it('reports which field of a purchase is wrong, and which plan is none', async () => {
      await assert.rejects(sluice.purchase('credit', { amount_usd: '0.01' }), (fault) => {
        assert.ok(fault instanceof ValidationError);
        assert.equal(fault.errors[0]?.field, 'amount_usd');
        return true;
      });
      await assert.rejects(sluice.purchase('nothing/../credit'), NotFoundError);
    });

    if (sandbox) {
      it('sells once for one credential, and serves the call then', async () => {
        const payment_credential = await pay(sluice, sandbox, 'pm_card_visa');
        const fields = { amount_usd: '0.50', payment_credential };
        const paid = await sluice.purchase('credit', fields);
        assert.equal(paid.code, undefined);
        const again = await sluice.purchase('credit', fields);
        assert.ok(paid.code === undefined && again.code === undefined);
        assert.equal(paid.balance_usd, '0.50');
        assert.equal(again.balance_usd, '0.50');
        assert.equal(again.receipt.reference, paid.receipt.reference);
        assert.equal(
          (await sluice.jobs.company({ company_network_url, max_results: 30 })).results_length,
          30,
        );
      });

      it('has a receipt of the purchase, as data and as a document', async () => {
        const [receipt] = await sluice.account.receipts().collect();
        assert.ok(receipt);
        assert.equal(receipt.amount_usd, '0.50');
        assert.equal((await sluice.account.purchase(receipt.purchase)).state, 'granted');
        assert.match(await sluice.account.receipt_document(receipt.receipt), /0\.50/);
        const asked = await sluice.account.request_refund(receipt.purchase, { reason: 'A test.' });
        assert.deepEqual(await sluice.account.refund_request(receipt.purchase), asked);
      });

      it('reports that a card was declined', async () => {
        const payment_credential = await pay(sluice, sandbox, 'pm_card_chargeDeclined');
        const call = sluice.purchase('credit', { amount_usd: '0.50', payment_credential });
        await assert.rejects(call, PaymentDeclinedError);
      });
    } else {
      without('SLUICE_LIVE_SANDBOX_URL');
    }
  });
} else {
  without('SLUICE_LIVE_URL');
}

/** Fails because a setting is missing, or skips with `SLUICE_LIVE=off`. */
function without(setting: string): void {
  it(`has ${setting}`, { skip: SLUICE_LIVE === 'off' && 'SLUICE_LIVE=off' }, () => {
    assert.fail(`Set ${setting} to a running service, or SLUICE_LIVE=off to run without one.`);
  });
}

/** Acts as a wallet: answers the challenge of a purchase with a token of the card. */
async function pay(sluice: Sluice, sandboxUrl: string, card: string): Promise<string> {
  const purchase = await sluice.purchase('credit', { amount_usd: '0.50' });
  assert.ok(purchase.code === 'payment_required');
  const parameters = (purchase.www_authenticate ?? '').matchAll(/(\w+)="([^"]*)"/g);
  const challenge = Object.fromEntries([...parameters].map(([, name, value]) => [name, value]));
  const response = await fetch(`${sandboxUrl}/v1/test_helpers/shared_payment/granted_tokens`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_x' },
    body: new URLSearchParams({
      payment_method: card,
      'usage_limits[currency]': 'usd',
      'usage_limits[max_amount]': '50',
      'usage_limits[expires_at]': String(Math.floor(Date.now() / 1000) + 300),
    }),
  });
  const { id: spt } = (await response.json()) as { id: string };
  return Buffer.from(JSON.stringify({ challenge, payload: { spt } })).toString('base64url');
}
