import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Tree from './tree.ts';

/** `nobody` is the ordinary user that every system has. */
const nobody = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
/** The first start makes the database and fills it with the sample data. */
const firstSecondsMax = 60;
const secondsMax = 30;

const places = [
  { who: 'an ordinary user', user: isRoot ? nobody : null, closed: false, runs: true },
  { who: 'root in a folder that no other user can enter', user: null, closed: true, runs: isRoot },
];

describe.each(places.filter((place) => place.runs))(
  'as $who, with spaces in the path',
  ({ user, closed }) => {
    let tree: Tree.Tree;
    const running: Tree.Shop[] = [];
    let token = '';

    beforeAll(async () => {
      tree = await Tree.copy('my shop', user, closed);
      // The packages of this tree were installed by root, too; and the amount of sample data makes no difference to who loads it.
      if (closed) Object.assign(tree.env, { DIRECT_SAMPLE_SCALE: '0.1' });
      await (closed ? Tree.copyPackages(tree) : Tree.run(tree, 'npm', 'ci'));
    });

    async function start(within = secondsMax): Promise<Tree.Shop> {
      const shop = await Tree.start(tree);
      running.push(shop);
      expect(shop.seconds).toBeLessThan(within);
      return shop;
    }

    /** Ends npm as a terminal or a service manager does, and waits until all that it started is gone. */
    async function stop(shop: Tree.Shop): Promise<void> {
      shop.npm.kill('SIGTERM');
      await expect.poll(() => Tree.serverPid(tree), { timeout: 30_000 }).toBeNull();
    }

    async function kill(pid: number | null): Promise<void> {
      process.kill(pid ?? 0, 'SIGKILL');
      await expect.poll(() => Tree.isRunning(pid ?? 0)).toBe(false);
    }

    async function account(): Promise<number> {
      const url = `http://127.0.0.1:${tree.env.PORT}/account`;
      return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
    }

    afterEach(async () => {
      for (const shop of running.splice(0)) {
        if (shop.npm.exitCode === null && shop.npm.signalCode === null) await stop(shop);
      }
    });

    afterAll(() => tree.remove());

    test('the first start opens a shop in which the printed requests work as pasted', async () => {
      const shop = await start(firstSecondsMax);
      const [register = '', call = '', buy = ''] = shop.text
        .split('\n')
        .filter((line) => /^ {2}(TOKEN=|curl )/.test(line));
      token = await Tree.run(tree, 'sh', '-c', `${register}\nprintf %s "$TOKEN"`);
      expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      const jobs = JSON.parse(await Tree.run(tree, 'sh', '-c', `TOKEN=${token}\n${call}`));
      expect(jobs.results_length).toBeGreaterThan(0);
      expect(await Tree.run(tree, 'sh', '-c', `TOKEN=${token}\n${buy}`)).toMatch(/^http:\/\/\S+\n$/);
    });

    test('its secrets and data are readable by their owner alone', async () => {
      const data = join(tree.dir, '.data');
      expect((await stat(data)).mode & 0o077).toBe(0);
      for (const name of await readdir(join(data, 'secrets'))) {
        expect((await stat(join(data, 'secrets', name))).mode & 0o077).toBe(0);
      }
    });

    test('a second start finds what the first left', async () => {
      await start();
      expect(await account()).toBe(200);
    });

    test('the end of npm ends all that it started', async () => {
      const shop = await start();
      const program = Tree.pidOf(shop, 'src/cli/sluice.ts start');
      await stop(shop);
      await expect.poll(() => Tree.isRunning(program)).toBe(false);
      const log = await readFile(join(tree.dir, '.data', 'logs', 'postgres.log'), 'utf8');
      expect(log.trimEnd()).toMatch(/database system is shut down$/);
    });

    test('the tests find their database', async () => {
      const args = ['vitest', 'run', 'test/start/cluster.long.ts', '-t', 'keeps data'];
      expect(await Tree.run(tree, 'env', 'LONG=1', 'npx', ...args)).toMatch(/1 passed/);
    });

    // To what follows it makes no difference who runs it.
    if (closed) return;

    test('a start after the program was killed takes over the database that still runs', async () => {
      const killed = await start();
      const server = await Tree.serverPid(tree);
      await kill(Tree.pidOf(killed, 'src/cli/sluice.ts start'));
      expect((await start()).text).toContain('left running by a start that was killed');
      expect(await Tree.serverPid(tree)).toBe(server);
      expect(await account()).toBe(200);
    });

    test('a start after program and database were killed recovers', async () => {
      const killed = await start();
      const server = await Tree.serverPid(tree);
      await kill(Tree.pidOf(killed, 'src/cli/sluice.ts start'));
      await kill(server);
      await start();
      expect(await account()).toBe(200);
    });

    test('a killed storefront and a killed database come back by themselves', async () => {
      const shop = await start();
      await kill(await Tree.serverPid(tree));
      await expect.poll(account).toBe(200);
      await kill(Tree.pidOf(shop, join(tree.dir, 'src/main.ts')));
      await expect.poll(() => account().catch(() => 0)).toBe(200);
    });

    test('a second shop beside it is refused in one line that names the setting', async () => {
      await start();
      await expect(Tree.start(tree)).rejects.toThrow(
        /Port \d+ is in use by another program.* with PORT, for example/,
      );
      const elsewhere = { ...tree, env: { ...tree.env, ...(await Tree.freePorts()) } };
      await expect(Tree.start(elsewhere)).rejects.toThrow(/is in use by another program/);
      expect(await account()).toBe(200);
    });

    test('the end of npm before the shop is open ends all of it', async () => {
      const shop = await Tree.start(tree, 'Opening the shop');
      const program = Tree.pidOf(shop, 'src/cli/sluice.ts start');
      shop.npm.kill('SIGTERM');
      await expect.poll(() => Tree.isRunning(program), { timeout: 30_000 }).toBe(false);
      expect(await Tree.serverPid(tree)).toBeNull();
    });
  },
);
