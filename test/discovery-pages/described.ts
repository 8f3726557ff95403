import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: a test walks a document by what it says.
export type Document = any;

/** Returns the operations of a document, each with its position. */
export function operations({
  paths,
}: Document): { id: string; method: string; path: string; operation: Document }[] {
  return Object.entries<Document>(paths).flatMap(([path, item]) =>
    Object.entries<Document>(item).map(([method, operation]) => ({
      id: operation.operationId,
      method,
      path,
      operation,
    })),
  );
}

/** Returns all components that are referenced from `value`, directly or indirectly, and the security schemes of operations. */
export function named(document: Document): Set<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) {
        if (key === '$ref' && typeof item === 'string' && !found.has(item)) {
          found.add(item);
          const [, , kind = '', name = ''] = item.split('/');
          visit(document.components?.[kind]?.[name]);
        } else visit(item);
      }
  };
  visit(document.paths);
  for (const { operation } of operations(document))
    for (const requirement of operation.security ?? [])
      for (const scheme of Object.keys(requirement)) found.add(`#/components/securitySchemes/${scheme}`);
  return found;
}

/**
 * Checks responses against a document and finds members that it does not describe: objects are treated as closed, except those that
 * other objects are composed of.
 */
export function checker(document: Document) {
  const base = 'described.json';
  const parts = new Set<string>();
  const each = (value: unknown, look: (schema: Document) => void): void => {
    if (Array.isArray(value)) for (const item of value) each(item, look);
    else if (typeof value === 'object' && value !== null) {
      look(value);
      for (const item of Object.values(value)) each(item, look);
    }
  };
  each(document, (schema) => {
    if (schema.$ref && (schema.properties || schema.required)) parts.add(schema.$ref);
    if (Array.isArray(schema.allOf)) for (const { $ref } of schema.allOf) if ($ref) parts.add($ref);
  });
  const close = (value: Document, at: string): Document => {
    if (Array.isArray(value)) return value.map((item) => close(item, `${at}/`));
    if (typeof value !== 'object' || value === null) return value;
    const own = Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        key === '$ref' && typeof item === 'string' ? base + item : close(item, `${at}/${key}`),
      ]),
    );
    const isOpen = parts.has(`#${at}`) || !value.properties || 'additionalProperties' in value;
    return isOpen || at.endsWith('/properties') ? own : { ...own, unevaluatedProperties: false };
  };
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: base, components: close(document.components, '/components') } as AnySchema);

  const resolve = (value: Document): Document => {
    if (!value?.$ref) return value;
    const [, , kind = '', name = ''] = value.$ref.split('/');
    return resolve(document.components[kind][name]);
  };
  const validate = (schema: Document, body: unknown) => {
    const check = ajv.compile(close(schema, '') as AnySchema);
    return check(body)
      ? []
      : (check.errors ?? []).map((it) => `${it.instancePath} ${it.message} ${JSON.stringify(it.params)}`);
  };
  return {
    /** Returns the errors in a response of `method path`. */
    answer(
      method: string,
      path: string,
      { status, headers, body }: { status: number; headers: Headers; body: unknown },
    ) {
      const operation = document.paths[path]?.[method.toLowerCase()];
      if (!operation) return [`${method} ${path} is not described`];
      const response = resolve(operation.responses[status] ?? operation.responses.default);
      if (!response) return [`${status} of ${method} ${path} is not described`];
      const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
      const content = response.content?.[type];
      return content ? validate(content.schema, body) : [`${type} of ${method} ${path} is not described`];
    },
    /** Returns the errors in a JSON body that is sent. */
    body(method: string, path: string, body: unknown) {
      const { content } = resolve(document.paths[path][method.toLowerCase()].requestBody);
      return validate(content['application/json'].schema, body);
    },
  };
}
