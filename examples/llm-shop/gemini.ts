import { data, json, objectOf, type Request, type Response, stream } from './http.ts';
import { type Answer, answer, field, list, models, numberOf, pieces, textOf } from './model.ts';

export function failure(code: number, status: string, message: string): Response {
  return json(code, { error: { code, message, status } });
}

/** POST /v1beta/models/{model}:generateContent, and :streamGenerateContent?alt=sse. */
export function generate(request: Request, model: string, isStream: boolean, id: number): Response {
  const body = objectOf(request);
  if (body === null) return failure(400, 'INVALID_ARGUMENT', 'The request body is not a JSON object.');
  if (!models.includes(model)) return failure(404, 'NOT_FOUND', `models/${model} is not found`);
  const last = list(body.contents).at(-1);
  const isResult = list(field(last, 'parts')).some((part) => field(part, 'functionResponse') !== undefined);
  const declared = list(body.tools).flatMap((tool) => list(field(tool, 'functionDeclarations')));
  const answered = answer({
    api: 'generate-content',
    model,
    input: [body.systemInstruction, body.contents, body.tools],
    last: isResult ? 'the tool answered' : textOf(field(last, 'parts')),
    maxTokens: numberOf(field(body.generationConfig, 'maxOutputTokens')),
    tools: isResult
      ? []
      : declared.map((tool) => ({
          name: String(field(tool, 'name')),
          schema: field(tool, 'parameters') ?? field(tool, 'parametersJsonSchema'),
        })),
  });
  if (!isStream) return json(200, response(answered, parts(answered), true, id), answered.usage);
  const chunks = events(answered, id);
  // Without alt=sse the documented form of a stream is one JSON list.
  if (request.query.get('alt') !== 'sse') return json(200, chunks, answered.usage);
  return stream(chunks.map(data), answered.usage);
}

function parts({ text, call }: Answer): object[] {
  return call === null
    ? [{ text }]
    : [{ functionCall: { name: call.name, args: JSON.parse(call.arguments) } }];
}

function events(answered: Answer, id: number): object[] {
  const all = answered.call === null ? pieces(answered.text).map((text) => [{ text }]) : [parts(answered)];
  return all.map((each, index) => response(answered, each, index === all.length - 1, id));
}

function response({ cut, usage }: Answer, content: object[], isLast: boolean, id: number) {
  return {
    candidates: [
      {
        content: { parts: content, role: 'model' },
        ...(isLast && { finishReason: cut ? 'MAX_TOKENS' : 'STOP' }),
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      ...(isLast && { candidatesTokenCount: usage.output, cachedContentTokenCount: usage.cached }),
      totalTokenCount: usage.input + (isLast ? usage.output : 0),
    },
    modelVersion: usage.model,
    responseId: `response-${id}`,
  };
}
