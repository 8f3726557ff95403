/** A resource at the upstream. */
export type Resource = { kind: string; id: string };

/** `taken`: the id belongs to another account. `full`: the account has as many resources as it may have. */
export type Binding = 'bound' | 'taken' | 'full';

/** Maximum length of an id in characters. */
export const idCharsMax = 200;

/** Maximum number of resources of an account. */
export const resourcesMax = 20_000;

/** The resources at the upstream and the accounts that they belong to, after joins. Every method rejects when the database is unavailable. */
export interface ResourceOwners {
  /** Returns true when all resources belong to the account. */
  areOwned(account: string, resources: readonly Resource[]): Promise<boolean>;
  /** Returns the ids of this kind that belong to the account. */
  owned(account: string, kind: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns true when the account may create no further resource. */
  isFull(account: string): Promise<boolean>;
  /** Binds a resource to the account durably. Safe to repeat. @param days how long it belongs to the account; null for always */
  bind(account: string, resource: Resource, days: number | null): Promise<Binding>;
  /** Ends the binding of a deleted resource after a time in which no other account can get its id. */
  end(account: string, resource: Resource): Promise<void>;
}
