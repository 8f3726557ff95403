import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Program from '../support/program.ts';
import * as DatabaseProxy from './database-proxy.ts';

const clock = new URL('./clock.ts', import.meta.url).href;
const catalog = fileURLToPath(new URL('../fixtures/chaos.yaml', import.meta.url));
const startsMax = 60;
const startAgainMs = 250;

/** One storefront process, its database connection, and the supervisor that restarts it. */
export class Gateway {
  readonly name: string;
  readonly port: number;
  readonly #env: Record<string, string>;
  readonly #tree: string | undefined;
  #databaseUrl = '';
  #proxy: DatabaseProxy.DatabaseProxy | null = null;
  #program: Program.Program | null = null;
  #isStopping = false;
  #isPaused = false;
  #restartInMs = 0;
  #starting: Promise<void> = Promise.resolve();
  #killed = false;
  #isDraining = false;
  /** Its own copy of the catalogue, so that it can be reloaded. */
  readonly #catalog: string;
  #reloads = 0;
  /** The last output of processes that ended without being killed. */
  readonly gaveUp: string[] = [];
  /** Log lines of level `error` of processes that have ended. */
  readonly #logs: string[] = [];

  constructor(name: string, port: number, env: Record<string, string>, tree: string | undefined) {
    this.name = name;
    this.port = port;
    this.#env = env;
    this.#tree = tree;
    this.#catalog = join(tmpdir(), `sluice-chaos-${process.pid}-${name}.yaml`);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @param watch decides about its statements (database-proxy.ts); null connects it to the database directly */
  async open(
    databaseUrl: string,
    watch: ((statement: string, when: DatabaseProxy.When) => DatabaseProxy.Fate) | null,
  ): Promise<void> {
    this.#databaseUrl = databaseUrl;
    if (watch !== null) this.#proxy = await DatabaseProxy.open(databaseUrl, watch);
    await writeFile(this.#catalog, await readFile(catalog));
    await this.#start();
  }

  async #start(): Promise<void> {
    let program: Program.Program;
    for (let tries = 1; ; tries++) {
      try {
        program = await Program.start('src/main.ts', this.#settings(), this.#tree);
        break;
      } catch (error) {
        // The database may be unavailable at the moment.
        if (tries === startsMax) throw error;
        await new Promise((resolve) => setTimeout(resolve, startAgainMs));
      }
      if (this.#isStopping) return;
    }
    this.#program = program;
    program.child.once('exit', (code) => {
      this.#logs.push(program.output());
      if (this.#isStopping) return;
      if (!this.#killed && !(this.#isDraining && code === 0))
        this.gaveUp.push(`exit ${code}: ${program.output().trim().split('\n').at(-1)}`);
      this.#killed = false;
      this.#isDraining = false;
      this.#program = null;
      const again = new Promise((resolve) => setTimeout(resolve, this.#restartInMs));
      this.#starting = again.then(() => this.#start());
      this.#starting.catch((error: unknown) => this.gaveUp.push(String(error)));
    });
  }

  #settings(): Record<string, string> {
    return {
      ...this.#env,
      NODE_OPTIONS: `--import=${clock}`,
      PORT: String(this.port),
      HOST: '127.0.0.1',
      DATABASE_URL: this.#proxy?.url ?? this.#databaseUrl,
      INSTANCE_ID: this.name,
      CATALOG: this.#catalog,
      LOG_LEVEL: 'error',
    };
  }

  /** True while a process listens, even if it is paused. */
  get isThere(): boolean {
    return this.#program !== null && !this.#killed && !this.#isDraining;
  }

  /** Sends SIGKILL; another process replaces it later. Returns false when none is running. */
  kill(restartInMs: number): boolean {
    if (!this.#program || this.#killed) return false;
    this.#killed = true;
    this.#restartInMs = restartInMs;
    this.#program.child.kill('SIGKILL');
    return true;
  }

  /** Sends SIGTERM, as for a new release; another process replaces it when it has ended. */
  drain(): boolean {
    if (!this.#program || !this.isThere || this.#isStopping) return false;
    this.#isDraining = true;
    this.#restartInMs = 0;
    this.#program.child.kill('SIGTERM');
    return true;
  }

  /** Changes the catalogue in a way that concerns no price, and sends SIGHUP. */
  async reload(): Promise<void> {
    this.#reloads += 1;
    await writeFile(this.#catalog, `${await readFile(catalog, 'utf8')}# ${this.#reloads}\n`);
    if (this.isThere) this.#program?.child.kill('SIGHUP');
  }

  /** Sends SIGSTOP, and SIGCONT later. */
  pause(ms: number): boolean {
    const child = this.#program?.child;
    if (!child || this.#isPaused) return false;
    this.#isPaused = true;
    child.kill('SIGSTOP');
    setTimeout(() => {
      this.#isPaused = false;
      child.kill('SIGCONT');
    }, ms);
    return true;
  }

  cut(): void {
    this.#proxy?.cut();
  }

  /** Sets the process's wall clock. */
  setClock(aheadMs: number): void {
    this.#program?.child.send({ clockAheadMs: aheadMs }, () => undefined);
  }

  /** Resolves when a process is running, whatever happened to those before. */
  async ready(): Promise<void> {
    while (!this.isThere || this.#isPaused) {
      await this.#starting;
      await new Promise((resolve) => setTimeout(resolve, startAgainMs));
    }
  }

  /** Sends SIGTERM. Returns the exit code of the last process. */
  async stop(): Promise<number | null> {
    this.#isStopping = true;
    await this.#starting.catch(() => undefined);
    const code = (await this.#program?.stop()) ?? null;
    await this.#proxy?.close();
    await rm(this.#catalog, { force: true });
    return code;
  }

  /** Returns the log lines of this event. */
  logged(event: string): string[] {
    return this.#logs.flatMap((log) => log.split('\n').filter((line) => line.includes(`"event":"${event}"`)));
  }
}
