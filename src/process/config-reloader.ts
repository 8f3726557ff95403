import * as Log from '../adapters/log/log.ts';
import * as Notify from '../adapters/postgres/notify.ts';
import type { Catalog } from '../catalog/catalog.ts';
import * as CatalogImpact from '../catalog/catalog-impact.ts';
import * as CatalogFile from '../catalog/file.ts';
import { retireInstead } from '../catalog/retire-instead.ts';
import * as Config from '../config.ts';
import type { Reload, ReloadResult } from '../journeys/reload.ts';
import type { ReloadPreview } from '../journeys/reload-preview.ts';
import * as TextFile from '../text/file.ts';
import * as AppRevision from './app-revision.ts';
import { type LocalCatalogEditor as CatalogEditor, openCatalogEditor } from './catalog-editor.ts';
import type { Resources } from './resources.ts';
import * as Settings from './settings.ts';
import * as UpstreamValues from './upstream-values.ts';

/** Longer than the replacement of a connection that receives notifications (adapters/postgres/listener.ts). */
const toldAgainMs = 6_000;

type Read =
  | { kind: 'faulty'; faults: string[] }
  | { kind: 'read'; loadedConfig: AppRevision.LoadedConfig; warnings: string[] };

/**
 * Reads the inputs of a revision: the settings of `given` and their files, and the catalogue and texts that they name.
 * @param proposed the text of a catalogue to read in place of the file's
 */
export async function read(given: Settings.Env, proposed: string | null = null): Promise<Read> {
  const gathered = await Settings.gather(given);
  if (!gathered.ok) return { kind: 'faulty', faults: gathered.faults };
  const parsed = Config.parse(gathered.env);
  if (!parsed.ok) return { kind: 'faulty', faults: parsed.faults };
  try {
    const loadedCatalog = await CatalogFile.read(parsed.config.catalogPath, proposed);
    const upstreams = UpstreamValues.read(loadedCatalog.catalog, gathered.env);
    if (!upstreams.ok) return { kind: 'faulty', faults: upstreams.faults };
    const units = loadedCatalog.catalog.services.map(({ unit }) => unit);
    const loadedTexts = await TextFile.read(parsed.config.textsPath, units);
    const loadedConfig = {
      ...{ env: gathered.env, config: parsed.config, loadedCatalog, loadedTexts },
      upstreamValues: upstreams.values,
    };
    return { kind: 'read', loadedConfig, warnings: gathered.warnings };
  } catch (fault) {
    return { kind: 'faulty', faults: messageOf(fault).split('\n') };
  }
}

/**
 * Holds the current revision and replaces it on reload. A reload opens a complete new revision beside the current one, which then gets the
 * new requests. Running requests end on the revision on which they began, with its prices and keys.
 */
export class ConfigReloader implements Reload {
  readonly #given: Settings.Env;
  readonly #resources: Resources;
  readonly editor: CatalogEditor;
  #current: AppRevision.AppRevision | null = null;
  /** Serializes reloads. */
  #last: Promise<unknown> = Promise.resolve();
  #tellingAgain: NodeJS.Timeout | undefined;

  private constructor(given: Settings.Env, resources: Resources) {
    this.#given = given;
    this.#resources = resources;
    this.editor = openCatalogEditor(this, resources);
  }

  /** Opens the first revision. @param given the environment; its files are read again at each reload */
  static async open(
    given: Settings.Env,
    resources: Resources,
    loadedConfig: AppRevision.LoadedConfig,
  ): Promise<ConfigReloader> {
    const configReloader = new ConfigReloader(given, resources);
    await configReloader.#swap(await AppRevision.openRevision(resources, loadedConfig, configReloader));
    void configReloader.#lookForMissing();
    return configReloader;
  }

  get current(): AppRevision.AppRevision {
    if (this.#current === null) throw new Error('no revision is open');
    return this.#current;
  }

  get catalog(): Catalog {
    return this.current.loadedCatalog.catalog;
  }

  async preview(proposed: string | null = null): Promise<ReloadPreview> {
    const found = await read(this.#given, proposed);
    return found.kind === 'faulty' ? found : this.#judge(found.loadedConfig);
  }

  /** Implements `Reload` and notifies every other process. */
  async take(who: string, digest: string | null): Promise<ReloadResult> {
    const taken = await this.takeHere(who, digest);
    if (taken.kind === 'taken' || taken.kind === 'unchanged') await this.tellOthers();
    return taken;
  }

  /**
   * Notifies every other process of the current revision, now and once more later: a process whose connection was just being replaced misses the
   * first notification, and would sell at the old prices.
   */
  async tellOthers(): Promise<void> {
    clearTimeout(this.#tellingAgain);
    this.#tellingAgain = setTimeout(() => {
      if (!this.#resources.draining) void this.#tell();
    }, toldAgainMs).unref();
    await this.#tell();
  }

  async #tell(): Promise<void> {
    const { sql, log } = this.#resources;
    const { loadedCatalog, config } = this.current;
    await Notify.tellReload(sql, loadedCatalog.digest, config.writer).catch((fault: unknown) =>
      log.error({ event: 'reload_not_told', ...Log.describe(fault) }),
    );
  }

  /** Like `take`, in this process only. Logs the outcome. */
  takeHere(who: string, digest: string | null): Promise<ReloadResult> {
    const next = this.#last.then(() => this.#take(who, digest));
    this.#last = next.catch(() => undefined);
    return next.then((taken) => {
      this.#say(who, taken);
      return taken;
    });
  }

  async #take(who: string, digest: string | null): Promise<ReloadResult> {
    const found = await read(this.#given);
    if (found.kind === 'faulty') return found;
    const { loadedConfig } = found;
    if (digest !== null && digest !== loadedConfig.loadedCatalog.digest)
      return { kind: 'another', digest: loadedConfig.loadedCatalog.digest };
    const change = await this.#judge(loadedConfig);
    if (change.refusals.length > 0) return { kind: 'refused', change };
    if (change.digest === change.running && change.settings.length === 0)
      return { kind: 'unchanged', digest: change.digest };
    const { audit } = this.#resources.kept;
    const entry = await audit.open(who, 'reload', this.current.config.writer, { catalog: change.running });
    const made = await AppRevision.openRevision(this.#resources, loadedConfig, this).catch(messageOf);
    if (typeof made === 'string') {
      await audit.close(entry, { faults: [made] });
      return { kind: 'faulty', faults: [made] };
    }
    await this.#swap(made);
    const { changes, severity } = change.consequences;
    await audit
      .close(entry, { catalog: change.digest, settings: change.settings, severity, changes })
      .catch((fault: unknown) =>
        this.#resources.log.error({ event: 'audit_not_closed', entry, ...Log.describe(fault) }),
      );
    return { kind: 'taken', change };
  }

  /** Determines the effects of replacing the current revision. */
  async #judge({
    loadedCatalog,
    loadedTexts,
    env,
  }: AppRevision.LoadedConfig): Promise<Extract<ReloadPreview, { kind: 'sound' }>> {
    const { loadedCatalog: old, loadedTexts: oldTexts, env: before } = this.current;
    const changed = Settings.changed(before, env);
    // Other contents of the file of texts count as a change of the setting that names it.
    const hasOtherTexts = loadedTexts.digest !== oldTexts.digest && !changed.includes('TEXTS');
    const settings = hasOtherTexts ? [...changed, 'TEXTS'] : changed;
    const isSame = loadedCatalog.digest === old.digest;
    const stakes = isSame ? [] : await this.#resources.stakes.all();
    const consequences = CatalogImpact.impactsOf(old.catalog, loadedCatalog.catalog, stakes);
    const fixed = settings
      .filter(Settings.isFixed)
      .map((name) => `${name} has changed, which requires a restart`);
    const refusals = [...fixed, ...consequences.refusals];
    return {
      kind: 'sound',
      digest: loadedCatalog.digest,
      running: old.digest,
      consequences,
      settings,
      refusals,
      retiring: refusals.length === 0 ? null : retireInstead(old.text, loadedCatalog.text),
    };
  }

  async #swap(next: AppRevision.AppRevision): Promise<void> {
    const { log, metrics, catalogs } = this.#resources;
    const before = this.#current;
    this.#current = next;
    before?.retire();
    log.level = next.config.logLevel;
    const services = next.loadedCatalog.catalog.services.map(({ slug }) => slug);
    metrics.selling(next.loadedCatalog.digest, services);
    // A failure is only logged: the history of catalogues is for information.
    await catalogs
      .took(next.loadedCatalog.digest, next.loadedCatalog.text)
      .catch((fault: unknown) => log.warn({ event: 'catalog_not_kept', ...Log.describe(fault) }));
  }

  /** A start never refuses a catalogue, as it may be the intended one. Plans with holdings that it lacks are logged as errors. */
  async #lookForMissing(): Promise<void> {
    const { stakes, log } = this.#resources;
    const all = await stakes.all().catch(() => []);
    for (const { says } of CatalogImpact.unusable(this.current.loadedCatalog.catalog, all))
      log.error({ event: 'plan_missing', warning: says });
  }

  #say(who: string, taken: ReloadResult): void {
    const { log } = this.#resources;
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
