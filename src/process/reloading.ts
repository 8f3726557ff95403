import * as Log from '../adapters/log/log.ts';
import * as Announcements from '../adapters/postgres/announcements.ts';
import * as Consequence from '../catalog/consequence.ts';
import * as CatalogFile from '../catalog/file.ts';
import * as Config from '../config.ts';
import type { Preview, Reload, Taken } from '../journeys/reload.ts';
import type { Foundation } from './foundation.ts';
import * as Generation from './generation.ts';
import * as Settings from './settings.ts';

type Read = { kind: 'faulty'; faults: string[] } | { kind: 'read'; stock: Generation.Stock };

/** Reads all that a generation is made of: the settings of `given` and their files, and the catalogue that they name. */
export async function read(given: Settings.Env): Promise<Read> {
  const gathered = await Settings.gather(given);
  if (!gathered.ok) return { kind: 'faulty', faults: gathered.faults };
  const parsed = Config.parse(gathered.env);
  if (!parsed.ok) return { kind: 'faulty', faults: parsed.faults };
  try {
    const goods = await CatalogFile.read(parsed.config.catalogPath);
    return { kind: 'read', stock: { env: gathered.env, config: parsed.config, goods } };
  } catch (fault) {
    return { kind: 'faulty', faults: messageOf(fault).split('\n') };
  }
}

/**
 * The generation that answers now, and the way to the next one. A reload makes a whole shop of what the files say beside the one that
 * runs; when it stands, new requests go to it. Requests under way end where they began: at their price, by their key.
 */
export class Reloading implements Reload {
  readonly #given: Settings.Env;
  readonly #foundation: Foundation;
  #current: Generation.Generation | null = null;
  /** One reload after the other. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(given: Settings.Env, foundation: Foundation) {
    this.#given = given;
    this.#foundation = foundation;
  }

  /** Opens the first generation. @param given the environment, whose files are read again at each reload */
  static async open(
    given: Settings.Env,
    foundation: Foundation,
    stock: Generation.Stock,
  ): Promise<Reloading> {
    const reloading = new Reloading(given, foundation);
    await reloading.#swap(await Generation.open(foundation, stock, reloading));
    void reloading.#lookForMissing();
    return reloading;
  }

  get current(): Generation.Generation {
    if (this.#current === null) throw new Error('no generation is open');
    return this.#current;
  }

  async preview(): Promise<Preview> {
    const found = await read(this.#given);
    return found.kind === 'faulty' ? found : this.#judge(found.stock);
  }

  /** As of `Reload`; every other process is told. */
  async take(who: string, digest: string | null): Promise<Taken> {
    const taken = await this.takeHere(who, digest);
    if (taken.kind === 'taken' || taken.kind === 'unchanged') {
      const { sql, log } = this.#foundation;
      const { goods, config } = this.current;
      await Announcements.tellReload(sql, goods.digest, config.lane).catch((fault: unknown) =>
        log.error({ event: 'reload_not_told', ...Log.describe(fault) }),
      );
    }
    return taken;
  }

  /** As `take`, in this process alone. What became of it is in the log. */
  takeHere(who: string, digest: string | null): Promise<Taken> {
    const next = this.#last.then(() => this.#take(who, digest));
    this.#last = next.catch(() => undefined);
    return next.then((taken) => {
      this.#say(who, taken);
      return taken;
    });
  }

  async #take(who: string, digest: string | null): Promise<Taken> {
    const found = await read(this.#given);
    if (found.kind === 'faulty') return found;
    const { stock } = found;
    if (digest !== null && digest !== stock.goods.digest)
      return { kind: 'another', digest: stock.goods.digest };
    const change = await this.#judge(stock);
    if (change.refusals.length > 0) return { kind: 'refused', change };
    if (change.digest === change.running && change.settings.length === 0)
      return { kind: 'unchanged', digest: change.digest };
    const { audit } = this.#foundation.kept;
    const entry = await audit.open(who, 'reload', this.current.config.lane, { catalog: change.running });
    const made = await Generation.open(this.#foundation, stock, this).catch(messageOf);
    if (typeof made === 'string') {
      await audit.close(entry, { faults: [made] });
      return { kind: 'faulty', faults: [made] };
    }
    await this.#swap(made);
    const { changes, severity } = change.consequences;
    await audit
      .close(entry, { catalog: change.digest, settings: change.settings, severity, changes })
      .catch((fault: unknown) =>
        this.#foundation.log.error({ event: 'audit_not_closed', entry, ...Log.describe(fault) }),
      );
    return { kind: 'taken', change };
  }

  /** What `stock` in place of what runs would mean. */
  async #judge({ goods, env }: Generation.Stock): Promise<Extract<Preview, { kind: 'sound' }>> {
    const { goods: old, env: before } = this.current;
    const settings = Settings.changed(before, env);
    const isSame = goods.digest === old.digest;
    const stakes = isSame ? [] : await this.#foundation.stakes.all();
    const consequences = Consequence.of(old.catalog, goods.catalog, stakes);
    const fixed = settings
      .filter(Settings.isFixed)
      .map((name) => `${name} is another now: that takes a restart`);
    const refusals = [...fixed, ...consequences.refusals];
    return {
      kind: 'sound',
      digest: goods.digest,
      running: old.digest,
      consequences,
      settings,
      refusals,
    };
  }

  async #swap(next: Generation.Generation): Promise<void> {
    const { log, metrics, catalogs } = this.#foundation;
    const before = this.#current;
    this.#current = next;
    before?.retire();
    log.level = next.config.logLevel;
    metrics.selling(next.goods.digest);
    // Of use to who looks later; nothing rests on it.
    await catalogs
      .took(next.goods.digest, next.goods.text)
      .catch((fault: unknown) => log.warn({ event: 'catalog_not_kept', ...Log.describe(fault) }));
  }

  /** At a start nothing is refused: another catalogue may be meant. What it leaves of no use is said aloud. */
  async #lookForMissing(): Promise<void> {
    const { stakes, log } = this.#foundation;
    const all = await stakes.all().catch(() => []);
    for (const { says } of Consequence.unusable(this.current.goods.catalog, all))
      log.error({ event: 'plan_missing', warning: says });
  }

  #say(who: string, taken: Taken): void {
    const { log } = this.#foundation;
    switch (taken.kind) {
      case 'taken': {
        const { digest, running, settings, consequences } = taken.change;
        const { severity, changes, warnings } = consequences;
        const found = changes.map((it) => [it.subject, it.id, it.deed].filter(Boolean).join(' '));
        log.info({ event: 'reloaded', who, digest, before: running, settings, severity, changes: found });
        for (const warning of warnings) log.error({ event: 'plan_missing', warning });
        break;
      }
      case 'unchanged':
        log.info({ event: 'reload_unchanged', who, digest: taken.digest });
        break;
      case 'faulty':
        log.error({ event: 'reload_faulty', who, faults: taken.faults });
        break;
      case 'refused':
        log.error({ event: 'reload_refused', who, refusals: taken.change.refusals });
        break;
      case 'another':
        log.error({
          event: 'reload_refused',
          who,
          refusals: [`the files here have the digest ${taken.digest}`],
        });
        break;
    }
  }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
