import { data, json, objectOf, type Request, type Response, stream } from './http.ts';
import { type Answer, answer, field, list, models, numberOf, pieces, textOf, tokensOf } from './model.ts';

const created = 1_767_225_600;
const dimensions = 8;

export function failure(status: number, code: string | null, message: string): Response {
  const type = status === 401 ? 'authentication_error' : 'invalid_request_error';
  return json(status, { error: { message, type, param: null, code } });
}

/** GET /v1/models. */
export function modelList(): Response {
  const all = models.map((id) => ({ id, object: 'model', created, owned_by: 'example' }));
  return json(200, { object: 'list', data: all });
}

/** POST /v1/chat/completions, plain and as a stream that ends with `[DONE]`. */
export function chat(request: Request, id: number): Response {
  const body = objectOf(request);
  const refusal = unfit(body);
  if (body === null || refusal !== null) return refusal ?? notJson();
  const last = list(body.messages).at(-1);
  const isResult = field(last, 'role') === 'tool';
  const tools = isResult ? [] : list(body.tools).map((tool) => toolOf(field(tool, 'function')));
  const answered = answer({
    api: 'chat',
    model: String(body.model),
    input: [body.messages, body.tools],
    last: isResult ? 'the tool answered' : textOf(field(last, 'content')),
    maxTokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    tools: body.tool_choice === 'none' ? [] : tools,
  });
  if (body.stream === true)
    return stream(
      chatEvents(answered, id, field(body.stream_options, 'include_usage') === true),
      answered.usage,
    );
  const { text, call } = answered;
  const message = {
    role: 'assistant',
    content: call === null ? text : null,
    refusal: null,
    ...toolCalls(answered, id),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(answered) };
  const whole = {
    ...head(answered, id, 'chat.completion'),
    choices: [choice],
    usage: chatUsage(answered.usage),
  };
  return json(200, whole, answered.usage);
}

function chatEvents(answered: Answer, id: number, wantsUsage: boolean): string[] {
  const { text, call, usage } = answered;
  const chunk = (choices: object[], counted: object | null) =>
    data({
      ...head(answered, id, 'chat.completion.chunk'),
      choices,
      ...(wantsUsage && { usage: counted }),
    });
  const delta = (part: object, reason: string | null = null) =>
    chunk([{ index: 0, delta: part, logprobs: null, finish_reason: reason }], null);
  const parts =
    call === null
      ? pieces(text).map((content) => ({ content }))
      : [{ tool_calls: [{ index: 0, function: { arguments: call.arguments } }] }];
  const opening =
    call === null
      ? { role: 'assistant', content: '' }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            { index: 0, id: `call_${id}`, type: 'function', function: { name: call.name, arguments: '' } },
          ],
        };
  return [
    delta(opening),
    ...parts.map((part) => delta(part)),
    delta({}, finishReason(answered)),
    ...(wantsUsage ? [chunk([], chatUsage(usage))] : []),
    'data: [DONE]\n\n',
  ];
}

function head({ usage }: Answer, id: number, object: string) {
  return { id: `chatcmpl-${id}`, object, created, model: usage.model };
}

function toolCalls({ call }: Answer, id: number) {
  return call === null ? {} : { tool_calls: [{ id: `call_${id}`, type: 'function', function: call }] };
}

function finishReason({ call, cut }: Answer) {
  if (call !== null) return 'tool_calls';
  return cut ? 'length' : 'stop';
}

function chatUsage({ input, cached, output }: Answer['usage']) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

export function toolOf(tool: unknown) {
  return { name: String(field(tool, 'name')), schema: field(tool, 'parameters') };
}

export function notJson(): Response {
  return failure(400, null, 'The request body is not a JSON object.');
}

/** Returns the refusal of a body that is no object or names an unknown model. */
export function unfit(body: Record<string, unknown> | null): Response | null {
  if (body === null) return notJson();
  if (models.includes(String(body.model))) return null;
  return failure(404, 'model_not_found', `The model '${String(body.model)}' does not exist.`);
}

/** POST /v1/embeddings, as numbers or base64. */
export function embeddings(request: Request): Response {
  const body = objectOf(request);
  const refusal = unfit(body);
  if (body === null || refusal !== null) return refusal ?? notJson();
  const inputs = Array.isArray(body.input) ? body.input : [body.input];
  const vectors = inputs.map((input) => vector(JSON.stringify(input ?? '')));
  const encode = (numbers: Float32Array) =>
    body.encoding_format === 'base64' ? Buffer.from(numbers.buffer).toString('base64') : [...numbers];
  const input = inputs.reduce((sum: number, each) => sum + tokensOf(String(each)), 0);
  const model = String(body.model);
  return json(
    200,
    {
      object: 'list',
      data: vectors.map((numbers, index) => ({ object: 'embedding', index, embedding: encode(numbers) })),
      model,
      usage: { prompt_tokens: input, total_tokens: input },
    },
    { api: 'embeddings', model, input, cached: 0, output: 0, items: 0 },
  );
}

function vector(text: string): Float32Array {
  const numbers = new Float32Array(dimensions);
  for (const [index, byte] of Buffer.from(text).entries()) {
    const at = index % dimensions;
    numbers[at] = ((numbers[at] ?? 0) + byte / 256) % 1;
  }
  return numbers;
}
