// Compile-time checks: the type of each result, and arguments that the compiler must reject.
import * as Client from 'sluice-client';
import { Sluice } from 'sluice-client';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_Check extends true>() => {};

export async function results(sluice: Sluice): Promise<void> {
  const company_network_url = 'https://www.network.example/company/northwind-analytics';

  const page = await sluice.search.people({ people: { job_level: ['VP', 'a level that came later'] } });
  is<Same<typeof page, Client.CountedPage<Client.Person>>>();
  is<Same<typeof page.cursor, string | null>>();

  for await (const person of sluice.search.people()) is<Same<typeof person, Client.Person>>();
  for await (const page of sluice.jobs.search().iter_pages({ max_pages: 2 })) {
    is<Same<typeof page, Client.CountedPage<Client.Job>>>();
  }
  const companies = await sluice.search.companies().collect({ max_items: 5 });
  is<Same<typeof companies, Client.Company[]>>();
  const employees = await sluice.search.employee_finder({ company_network_url, page: 2 });
  is<Same<typeof employees.total_pages, number>>();

  const { email } = await sluice.enrichment.email({ person_network_url: 'x' }, { timeout: 5 });
  is<Same<typeof email, string | null>>();
  const { records_remaining } = await sluice.account.key_info();
  is<Same<typeof records_remaining, number>>();

  const promise: Promise<Client.CountedPage<Client.Job>> = sluice.jobs.company({ company_network_url });
  await Promise.all([promise, sluice.utils.current_date()]);
}

export async function purchases(sluice: Sluice): Promise<void> {
  const purchase = await sluice.purchase('credit', { amount_usd: '5.00' });
  if (purchase.code === 'payment_required') is<Same<typeof purchase.checkout_url, string>>();
  else if (purchase.code === 'payment_pending') is<Same<typeof purchase.status.url, string>>();
  else is<Same<typeof purchase.balance_usd, string>>();
}

export function errors(fault: unknown): void {
  if (fault instanceof Client.ValidationError) is<Same<typeof fault.errors, Client.FieldError[]>>();
  if (fault instanceof Client.PlanRequiredError) is<Same<typeof fault.plans, Client.PlanOffer[]>>();
  if (fault instanceof Client.InsufficientRecordsError) {
    is<Same<typeof fault.fair_usage, Client.FairUsage | null>>();
  }
  if (fault instanceof Client.RateLimitError) is<Same<typeof fault.retry_after, number | null>>();
  if (fault instanceof Client.APIStatusError) {
    is<Same<typeof fault.status_code, number>>();
    is<Same<typeof fault.body, unknown>>();
  }
}

export function refused(sluice: Sluice): void {
  // @ts-expect-error: a field that does not exist
  sluice.search.people({ jobLevel: ['VP'] });
  // @ts-expect-error: a field of another operation
  sluice.search.companies({ people: {} });
  // @ts-expect-error: a field in the wrong place
  sluice.search.people({ company: { hq: { postcode: '10115' } } });
  // @ts-expect-error: a field that is needed
  sluice.jobs.company({ max_results: 5 });
  // @ts-expect-error: a size has nothing to exclude
  sluice.jobs.search({ company: { size: { exclude: ['1-10'] } } });
  // @ts-expect-error: max_items is not the service's
  sluice.jobs.search({ max_items: 5 });
  // @ts-expect-error: an amount of money is a string
  sluice.purchase('credit', { amount_usd: 5 });
  // @ts-expect-error: an option that does not exist
  new Sluice({ api_key: 'sk', apiKey: 'sk' });
  // @ts-expect-error: registration takes no credential
  Sluice.register({ api_key: 'sk' });
  // @ts-expect-error: one answer is no list
  sluice.enrichment.person({ person_network_url: 'x' }).collect();
}
