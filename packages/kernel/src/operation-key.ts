/** The path without the names of its parameters: `/todos/{id}` and `/todos/{todo}` are one. */
export function pathShape(path: string): string {
  return path.replace(/\{[^/]*\}/g, '{}');
}

/** Identifies an operation of an API description; the names of path parameters do not matter. */
export function operationKey(method: string, path: string): string {
  return `${method} ${pathShape(path)}`;
}
