import { json, named, objectOf, type Request, type Response, stream } from './http.ts';
import { type Answer, answer, field, list, models, numberOf, pieces, textOf } from './model.ts';

export function failure(status: number, type: string, message: string): Response {
  return json(status, { type: 'error', error: { type, message }, request_id: 'req_1' });
}

/** POST /v1/messages, plain and as a stream of named events. */
export function messages(request: Request, id: number): Response {
  if (request.headers['anthropic-version'] === undefined)
    return failure(400, 'invalid_request_error', 'anthropic-version: header is required');
  const body = objectOf(request);
  if (body === null) return failure(400, 'invalid_request_error', 'The request body is not a JSON object.');
  const model = String(body.model);
  if (!models.includes(model)) return failure(404, 'not_found_error', `model: ${model}`);
  if (numberOf(body.max_tokens) === undefined)
    return failure(400, 'invalid_request_error', 'max_tokens: Field required');
  const last = list(body.messages).at(-1);
  const isResult = list(field(last, 'content')).some((part) => field(part, 'type') === 'tool_result');
  const answered = answer({
    api: 'messages',
    model,
    input: [body.system, body.messages, body.tools],
    last: isResult ? 'the tool answered' : textOf(field(last, 'content')),
    maxTokens: numberOf(body.max_tokens),
    tools: isResult
      ? []
      : list(body.tools).map((tool) => ({
          name: String(field(tool, 'name')),
          schema: field(tool, 'input_schema'),
        })),
  });
  return body.stream === true
    ? stream(events(answered, id), answered.usage)
    : json(200, message(answered, id), answered.usage);
}

function message({ text, call, cut, usage }: Answer, id: number) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: usage.model,
    content:
      call === null
        ? [{ type: 'text', text }]
        : [{ type: 'tool_use', id: `toolu_${id}`, name: call.name, input: JSON.parse(call.arguments) }],
    stop_reason: reason(call !== null, cut),
    stop_sequence: null,
    usage: { ...inputUsage(usage), output_tokens: usage.output },
  };
}

/** `input_tokens` are those that were not read from the cache. */
function inputUsage({ input, cached }: Answer['usage']) {
  return { input_tokens: input - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached };
}

function reason(isCall: boolean, cut: boolean) {
  if (isCall) return 'tool_use';
  return cut ? 'max_tokens' : 'end_turn';
}

function events(answered: Answer, id: number): string[] {
  const { text, call, cut, usage } = answered;
  const start = {
    ...message(answered, id),
    content: [],
    stop_reason: null,
    usage: { ...inputUsage(usage), output_tokens: 1 },
  };
  const block =
    call === null
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: `toolu_${id}`, name: call.name, input: {} };
  const deltas =
    call === null
      ? pieces(text).map((piece) => ({ type: 'text_delta', text: piece }))
      : [{ type: 'input_json_delta', partial_json: call.arguments }];
  const event = (type: string, rest: object) => named(type, { type, ...rest });
  return [
    event('message_start', { message: start }),
    event('content_block_start', { index: 0, content_block: block }),
    event('ping', {}),
    ...deltas.map((delta) => event('content_block_delta', { index: 0, delta })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: reason(call !== null, cut), stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    event('message_stop', {}),
  ];
}
