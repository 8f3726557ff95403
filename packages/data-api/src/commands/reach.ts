/** A database to work on. `leave` stops it if it was started for this command. */
export type ReachedDatabase = { url: string; leave(): Promise<void> };

/** Finds the database at `url`, or the caller's default one, starting it if necessary. Rejects if there is none. */
export type Reach = (url: string | undefined) => Promise<ReachedDatabase>;
