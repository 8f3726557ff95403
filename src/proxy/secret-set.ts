import * as KeySearch from './key-search.ts';

/**
 * The secrets of all upstreams of a shop: keys, client secrets, access tokens. A response of any of them is searched for all, because one
 * provider may serve several.
 */
export class SecretSet {
  readonly #byOwner = new Map<string, readonly string[]>();
  readonly #watchers: ((search: KeySearch.KeySearch | null) => void)[] = [];

  /** Replaces the secrets of one owner. */
  set(owner: string, secrets: readonly string[]): void {
    this.#byOwner.set(owner, secrets);
    const search = this.#search();
    for (const watcher of this.#watchers) watcher(search);
  }

  /** Calls `watcher` now and after each change. */
  watch(watcher: (search: KeySearch.KeySearch | null) => void): void {
    this.#watchers.push(watcher);
    watcher(this.#search());
  }

  #search(): KeySearch.KeySearch | null {
    return KeySearch.ofSecrets([...this.#byOwner.values()].flat());
  }
}

/** Returns the secrets that Basic authentication sends: the password, and the pair in the encoding in which it is sent. */
export function ofBasic(user: string, password: string): string[] {
  return [password, Buffer.from(`${user}:${password}`, 'utf8').toString('base64')];
}
