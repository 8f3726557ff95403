import { json, named, objectOf, type Request, type Response, stream } from './http.ts';
import { type Answer, answer, field, list, numberOf, pieces, textOf } from './model.ts';
import { notJson, toolOf, unfit } from './openai.ts';

const created = 1_767_225_600;

/** POST /v1/responses, plain and as a stream of named events. */
export function responses(request: Request, id: number): Response {
  const body = objectOf(request);
  const refusal = unfit(body);
  if (body === null || refusal !== null) return refusal ?? notJson();
  const last = typeof body.input === 'string' ? { content: body.input } : list(body.input).at(-1);
  const isResult = field(last, 'type') === 'function_call_output';
  const answered = answer({
    api: 'responses',
    model: String(body.model),
    input: [body.instructions, body.input, body.tools],
    last: isResult ? 'the tool answered' : textOf(field(last, 'content')),
    maxTokens: numberOf(body.max_output_tokens),
    tools: isResult ? [] : list(body.tools).map(toolOf),
  });
  return body.stream === true
    ? stream(events(answered, id), answered.usage)
    : json(200, whole(answered, id), answered.usage);
}

function whole(answered: Answer, id: number) {
  const { input, cached, output } = answered.usage;
  return {
    ...opening(answered, id),
    status: answered.cut ? 'incomplete' : 'completed',
    incomplete_details: answered.cut ? { reason: 'max_output_tokens' } : null,
    output: [item(answered, id)],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
}

function opening({ usage }: Answer, id: number) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: usage.model,
    output: [] as object[],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: null,
  };
}

function item({ text, call }: Answer, id: number) {
  if (call !== null)
    return { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, status: 'completed', ...call };
  return {
    type: 'message',
    id: `msg_${id}`,
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

function events(answered: Answer, id: number): string[] {
  const done = whole(answered, id);
  const inner = answered.call === null ? textEvents(answered, id) : callEvents(answered, id);
  const all: { type: string }[] = [
    { type: 'response.created', ...{ response: opening(answered, id) } },
    { type: 'response.in_progress', ...{ response: opening(answered, id) } },
    ...inner,
    { type: 'response.output_item.done', ...{ output_index: 0, item: item(answered, id) } },
    { type: answered.cut ? 'response.incomplete' : 'response.completed', ...{ response: done } },
  ];
  return all.map(({ type, ...rest }, index) => named(type, { type, sequence_number: index, ...rest }));
}

function textEvents({ text }: Answer, id: number): { type: string }[] {
  const at = { item_id: `msg_${id}`, output_index: 0, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [] };
  const empty = { type: 'message', id: at.item_id, status: 'in_progress', role: 'assistant', content: [] };
  const deltas = pieces(text).map((delta) => ({
    type: 'response.output_text.delta',
    ...at,
    delta,
    logprobs: [],
  }));
  return [
    { type: 'response.output_item.added', ...{ output_index: 0, item: empty } },
    { type: 'response.content_part.added', ...at, ...{ part } },
    ...deltas,
    { type: 'response.output_text.done', ...at, ...{ text, logprobs: [] } },
    { type: 'response.content_part.done', ...at, ...{ part: { ...part, text } } },
  ];
}

function callEvents({ call }: Answer, id: number): { type: string }[] {
  const at = { item_id: `fc_${id}`, output_index: 0 };
  const name = call?.name ?? '';
  const text = call?.arguments ?? '';
  const added = {
    type: 'function_call',
    id: at.item_id,
    call_id: `call_${id}`,
    name,
    arguments: '',
    status: 'in_progress',
  };
  return [
    { type: 'response.output_item.added', ...{ output_index: 0, item: added } },
    { type: 'response.function_call_arguments.delta', ...at, ...{ delta: text } },
    { type: 'response.function_call_arguments.done', ...at, ...{ name, arguments: text } },
  ];
}
