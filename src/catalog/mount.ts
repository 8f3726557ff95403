import * as Schema from '@sluice/kernel/json-schema';
import type { Target } from '@sluice/kernel/request-target';
import { reservedSegments } from './reserved-paths.ts';
import * as SourceLocation from './source-location.ts';

/**
 * Returns an OpenAPI document whose paths are those of the shop: each begins with `mount`. References into its paths follow.
 * @param mount `/name` without a slash at its end; '' returns the document itself
 */
export function mounted(document: unknown, mount: string): unknown {
  if (mount === '') return document;
  const root = Schema.node(document);
  const paths = Object.entries(Schema.node(root.paths)).map(([path, item]) => [`${mount}${path}`, item]);
  return withReferences({ ...root, paths: Object.fromEntries(paths) }, `#/paths/${token(mount)}`);
}

/** Rewrites `#/paths/~1a` to the path below the mount. */
function withReferences(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, prefix));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key === '$ref' && typeof item === 'string'
        ? [key, item.replace(/^#\/paths\/(?=~1)/, prefix)]
        : [key, withReferences(item, prefix)],
    ),
  );
}

function token(path: string): string {
  return path.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns the target at the upstream of a call of the shop. `mount` is the beginning of its path. */
export function atUpstream(target: Target, mount: string): Target {
  if (mount === '') return target;
  if (!target.path.startsWith(`${mount}/`)) throw new Error(`a call outside of ${mount} has no upstream`);
  return { path: target.path.slice(mount.length), query: target.query };
}

/** Checks `upstream.mount`, and that every call lies below it. */
export function checkMount(
  root: SourceLocation.LocatedValue,
  calls: readonly { call: SourceLocation.LocatedValue; path: string }[],
): SourceLocation.Finding[] {
  const at = SourceLocation.member(SourceLocation.member(root, 'upstream'), 'mount');
  const mount = SourceLocation.text(at);
  if (mount === null) return [];
  const [, first = ''] = mount.split('/');
  if (reservedSegments.has(first.toLowerCase()))
    return [
      {
        path: at.path,
        reason: `mount is where the storefront has its own routes (/${first}): choose another name`,
      },
    ];
  return calls
    .filter(({ path }) => !path.startsWith(`${mount}/`))
    .map(({ call, path }) => ({
      path: call.path,
      reason: `call ${path} does not begin with the mount: write ${mount}${path}`,
    }));
}
