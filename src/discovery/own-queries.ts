import * as Schema from '@sluice/kernel/json-schema';

/** Names of the query parameters that one of the storefront's own operations takes. */
export type OwnQuery = { method: string; path: string; names: readonly string[] };

/** Reads the query parameters of every operation in the storefront's own OpenAPI description. */
export function read(own: Schema.Node): OwnQuery[] {
  const components = Schema.node(Schema.node(own.components).parameters);
  const resolved = (value: unknown): Schema.Node => {
    const node = Schema.node(value);
    return typeof node.$ref === 'string' ? Schema.node(components[node.$ref.split('/').at(-1) ?? '']) : node;
  };
  return Object.entries(Schema.node(own.paths)).flatMap(([path, item]) => {
    const { parameters: shared, ...operations } = Schema.node(item);
    return Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      names: [...Schema.list(shared), ...Schema.list(Schema.node(operation).parameters)]
        .map(resolved)
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => Schema.text(parameter.name)),
    }));
  });
}
