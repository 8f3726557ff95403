import * as SuiteCase from './suite-case.ts';

export type Answer = { status: number; body: unknown; headers: Record<string, string> };

/** Responses of the suite's service to a successful call, and to a purchase without a payment. */
const answers = new Map<string, Answer>();
for (const { file, cases } of SuiteCase.all()) {
  for (const { request, answer } of cases.flatMap(({ wire = [] }) => wire)) {
    const isShown = ['operations.json', 'storefront.json', 'account.json', 'streams.json'].includes(file);
    const path = request && `${request.method} ${new URL(request.url).pathname}`;
    const body = answer.body ?? answer.text;
    if (!isShown || !path || answers.has(path) || body === undefined) continue;
    // Each list has one page, because the server does not read cursors.
    const isPage = typeof body === 'object' && body !== null && 'cursor' in body;
    const { status = 200, headers = {} } = answer;
    answers.set(path, { status, headers, body: isPage ? { ...body, cursor: null } : body });
  }
}

/** Returns the response to a request, such as `GET /account?x=y`. */
export function answerTo(method: string | undefined, url: string | undefined): Answer {
  return answers.get(`${method} ${url?.split('?')[0]}`) ?? { status: 404, body: {}, headers: {} };
}
