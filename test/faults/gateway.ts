import { fileURLToPath } from 'node:url';
import * as Program from '../support/program.ts';
import * as DatabaseProxy from './database-proxy.ts';

const clock = new URL('./clock.ts', import.meta.url).href;
const catalog = fileURLToPath(new URL('../fixtures/chaos.yaml', import.meta.url));
const startsMax = 60;
const startAgainMs = 250;

/** One storefront process, its way to the database, and whoever starts it again when it has ended. */
export class Gateway {
  readonly name: string;
  readonly port: number;
  readonly #env: Record<string, string>;
  readonly #src: string | undefined;
  #proxy: DatabaseProxy.DatabaseProxy | null = null;
  #program: Program.Program | null = null;
  #isStopping = false;
  #isPaused = false;
  #restartInMs = 0;
  #starting: Promise<void> = Promise.resolve();
  #killed = false;
  /** What processes said at last that ended and were not killed. */
  readonly gaveUp: string[] = [];
  /** What was logged at level `error` by those that are gone. */
  readonly #logs: string[] = [];

  constructor(name: string, port: number, env: Record<string, string>, src: string | undefined) {
    this.name = name;
    this.port = port;
    this.#env = env;
    this.#src = src;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async open(
    databaseUrl: string,
    watch: (statement: string, when: DatabaseProxy.When) => DatabaseProxy.Fate,
  ): Promise<void> {
    this.#proxy = await DatabaseProxy.open(databaseUrl, watch);
    await this.#start();
  }

  async #start(): Promise<void> {
    let program: Program.Program;
    for (let tries = 1; ; tries++) {
      try {
        program = await Program.start('main.ts', this.#settings(), this.#src);
        break;
      } catch (error) {
        // The database may be away just now.
        if (tries === startsMax) throw error;
        await new Promise((resolve) => setTimeout(resolve, startAgainMs));
      }
      if (this.#isStopping) return;
    }
    this.#program = program;
    program.child.once('exit', (code) => {
      this.#logs.push(program.output());
      if (this.#isStopping) return;
      if (!this.#killed) this.gaveUp.push(`exit ${code}: ${program.output().trim().split('\n').at(-1)}`);
      this.#killed = false;
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
      DATABASE_URL: this.#proxy?.url ?? '',
      LANE: this.name,
      CATALOG: catalog,
      LOG_LEVEL: 'error',
    };
  }

  /** A process listens, though it may be paused. */
  get isThere(): boolean {
    return this.#program !== null && !this.#killed;
  }

  /** SIGKILL; another process takes its place after a while. False where none runs. */
  kill(restartInMs: number): boolean {
    if (!this.#program || this.#killed) return false;
    this.#killed = true;
    this.#restartInMs = restartInMs;
    this.#program.child.kill('SIGKILL');
    return true;
  }

  /** SIGSTOP, and SIGCONT after a while. */
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

  /** A process runs, whatever became of those before. */
  async ready(): Promise<void> {
    while (!this.isThere || this.#isPaused) {
      await this.#starting;
      await new Promise((resolve) => setTimeout(resolve, startAgainMs));
    }
  }

  /** SIGTERM; the exit code of the last process. */
  async stop(): Promise<number | null> {
    this.#isStopping = true;
    await this.#starting.catch(() => undefined);
    const code = (await this.#program?.stop()) ?? null;
    await this.#proxy?.close();
    return code;
  }

  /** Lines that tell of this event. */
  logged(event: string): string[] {
    return this.#logs.flatMap((log) => log.split('\n').filter((line) => line.includes(`"event":"${event}"`)));
  }
}
