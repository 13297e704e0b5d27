import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunSignal } from '../../src/engine/bus.ts';
import { createEmbeddedBus } from '../../src/engine/bus.ts';
import { Neighbours } from '../../src/engine/ownership.ts';
import type { OpenedStore } from '../../src/runtime/parts/store.ts';
import type { DriverRow } from '../../src/store/rows.ts';
import { put, withRuns } from '../store/rows.ts';
import { programFile } from '../support/program.ts';

export type Member = Pick<OpenedStore, 'store' | 'ownership' | 'hints'>;

/** A process of test/cluster/children/driver.ts on a database, once it has joined. */
export async function startDriver(
  database: string,
): Promise<{ epoch: number; signal(signal: NodeJS.Signals): void; kill(): Promise<void> }> {
  const path = programFile('test/cluster/children/driver');
  const child = spawn(process.execPath, [path, database], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [epoch] = await once(child.stdout, 'data');
  return {
    epoch: Number(epoch),
    signal: (signal) => void child.kill(signal),
    async kill() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Drivers of one database. */
export interface Cluster {
  /** Opens the database once more in this process, for a driver of its own. */
  member(): Promise<Member>;
  /** A driver in a process of its own that has joined. */
  otherProcess(): Promise<{ epoch: number; kill(): Promise<void> }>;
  /** Takes from a driver that lives what shows others that it lives. */
  removeSigns(driver: DriverRow): void | Promise<void>;
}

const rowOf = async ({ store }: Member, epoch: number): Promise<DriverRow> => {
  const row = await store.query('findDriver', { epoch });
  if (!row) throw new Error(`there is no driver ${epoch}`);
  return row;
};

const neighboursOf = ({ store, ownership }: Member) => new Neighbours(store, ownership, { now: () => 50 });

/** Gives run 1 to a driver. Returns how many rows that changed. */
const claim = ({ store }: Member, seen: number, me: number) => put(store, 'claimRun', { pk: 1, seen, me });

const driverOf = async ({ store }: Member) => (await store.query('loadRun', { tenant: 1, id: 'r1' }))?.driver;

/** What every implementation of the ports for several drivers must do. */
export function describeCluster(name: string, open: () => Promise<Cluster>): void {
  describe(`${name}: a driver`, () => {
    it('has an epoch from when it joins, and joins once', async () => {
      const { ownership } = await (await open()).member();
      expect(ownership.me).toBeNull();
      const epochs = await Promise.all([ownership.join(), ownership.join()]);
      expect(epochs).toEqual([ownership.me, ownership.me]);
    });

    it('has an epoch that no other has', async () => {
      const cluster = await open();
      const epochs = new Set<number>();
      for (let i = 0; i < 3; i++) epochs.add(await (await cluster.member()).ownership.join());
      expect(epochs.size).toBe(3);
    });

    it('is alive to others and to itself while it lives', async () => {
      const cluster = await open();
      const [a, b] = [await cluster.member(), await cluster.member()];
      const epoch = await a.ownership.join();
      await b.ownership.join();
      for (const member of [a, b]) {
        expect(await member.ownership.isDead(await rowOf(member, epoch))).toBe(false);
        expect(member.ownership.seemsAlive(epoch)).toBe(true);
      }
      expect((await neighboursOf(b).alive()).map((row) => row.epoch)).toEqual([epoch]);
    });

    it('is alive in a process of its own until that is killed, and never again', async () => {
      const cluster = await open();
      const member = await cluster.member();
      await member.ownership.join();
      const { epoch, kill } = await cluster.otherProcess();
      const row = await rowOf(member, epoch);
      expect(await member.ownership.isDead(row)).toBe(false);
      expect(member.ownership.seemsAlive(epoch)).toBe(true);
      await kill();
      expect(await member.ownership.isDead(row)).toBe(true);
      expect(await member.ownership.isDead(row)).toBe(true);
      expect(member.ownership.seemsAlive(epoch)).toBe(false);
    });

    it('is seen to live by a process that drives nothing', async () => {
      const cluster = await open();
      const member = await cluster.member();
      const { epoch, kill } = await cluster.otherProcess();
      expect(member.ownership.seemsAlive(epoch)).toBe(true);
      expect(await neighboursOf(member).areDriving({ driver: epoch })).toBe(true);
      await kill();
      expect(await neighboursOf(member).areDriving({ driver: epoch })).toBe(false);
    });
  });

  describe(`${name}: the end of a driver`, () => {
    it('is written down once, and frees its runs', async () => {
      const cluster = await open();
      const [a, b] = [await cluster.member(), await cluster.member()];
      await withRuns(a.store);
      await a.ownership.join();
      await b.ownership.join();
      const { epoch, kill } = await cluster.otherProcess();
      expect(await claim(a, 1, epoch)).toBe(1);
      await neighboursOf(a).alive();
      expect(await driverOf(a)).toBe(epoch);
      await kill();
      await Promise.all([neighboursOf(a).alive(), neighboursOf(b).alive()]);
      const { endedAt } = await rowOf(a, epoch);
      expect(endedAt).toBe(50);
      expect(await driverOf(a)).toBeNull();
      await new Neighbours(b.store, b.ownership, { now: () => 60 }).alive();
      expect((await rowOf(a, epoch)).endedAt).toBe(50);
    });

    it('lets one other take each of its runs', async () => {
      const cluster = await open();
      const members = [await cluster.member(), await cluster.member(), await cluster.member()];
      const [first] = members as [Member];
      await withRuns(first.store);
      const { epoch, kill } = await cluster.otherProcess();
      const epochs: number[] = [];
      for (const { ownership } of members) epochs.push(await ownership.join());
      expect(await claim(first, 1, epoch)).toBe(1);
      const claimAll = () => Promise.all(members.map((member, i) => claim(member, 2, epochs[i] as number)));
      expect(await claimAll()).toEqual([0, 0, 0]);
      await kill();
      await neighboursOf(first).alive();
      expect((await claimAll()).toSorted()).toEqual([0, 0, 1]);
    });

    it('that was told falsely makes it join anew; what it was claims nothing more', async () => {
      const cluster = await open();
      const [a, b] = [await cluster.member(), await cluster.member()];
      await withRuns(a.store);
      const was = await a.ownership.join();
      await b.ownership.join();
      expect(await claim(a, 1, was)).toBe(1);
      await cluster.removeSigns(await rowOf(a, was));
      expect(await neighboursOf(b).alive()).toEqual([]);
      expect((await rowOf(a, was)).endedAt).toBe(50);
      expect(await claim(a, 2, was)).toBe(0);
      const is = await a.ownership.renew(was);
      expect(is).not.toBe(was);
      expect(await a.ownership.renew(was)).toBe(is);
      expect(a.ownership.me).toBe(is);
      expect((await neighboursOf(b).alive()).map(({ epoch }) => epoch)).toEqual([is]);
      expect(await claim(a, 2, is)).toBe(1);
    });
  });

  describe(`${name}: a hint`, () => {
    /** How often a member was hinted at, and its bus. */
    const listening = (member: Member) => {
      const bus = createEmbeddedBus();
      const looked = Promise.withResolvers<void>();
      let looks = 0;
      member.hints.listen(() => {
        looks++;
        looked.resolve();
      }, bus);
      return { bus, looked: looked.promise, looks: () => looks };
    };

    it('has the other look', async () => {
      const cluster = await open();
      const [a, b] = [await cluster.member(), await cluster.member()];
      const heard = listening(b);
      const epoch = await b.ownership.join();
      a.hints.send(epoch);
      await heard.looked;
    });

    it('to a driver that died, that never was, or to itself harms nothing', async () => {
      const cluster = await open();
      const [a, b] = [await cluster.member(), await cluster.member()];
      const { epoch, kill } = await cluster.otherProcess();
      await kill();
      const heard = listening(b);
      const to = await b.ownership.join();
      for (const other of [epoch, 999, to]) a.hints.send(other);
      b.hints.send(to);
      await heard.looked;
    });

    it('comes when a driver that was hinted at is killed', async () => {
      const cluster = await open();
      const a = await cluster.member();
      const { epoch, kill } = await cluster.otherProcess();
      const heard = listening(a);
      a.hints.send(epoch);
      // Hints have no answer: ask until the connection stands.
      const asking = setInterval(() => a.hints.send(epoch), 20);
      await new Promise((resolve) => setTimeout(resolve, 200));
      clearInterval(asking);
      await kill();
      await heard.looked;
    });

    it('comes when a driver that is attended is killed, and not before', async () => {
      const cluster = await open();
      const a = await cluster.member();
      await a.ownership.join();
      const { epoch, kill } = await cluster.otherProcess();
      const heard = listening(a);
      for (let i = 0; i < 3; i++) a.hints.attend(epoch);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(heard.looks()).toBe(0);
      await kill();
      await heard.looked;
    });

    it('brings the signals of a run that is followed, until that ends', async () => {
      const cluster = await open();
      const [a, b] = [await cluster.member(), await cluster.member()];
      const { bus } = listening(b);
      listening(a);
      const epoch = await b.ownership.join();
      const heard: RunSignal[] = [];
      const arrived = Promise.withResolvers<void>();
      const stop = a.hints.follow(epoch, 'r1', (signal) => {
        heard.push(signal);
        arrived.resolve();
      });
      const telling = setInterval(() => bus.notify({ runId: 'r1', type: 'delta', delta: 'word' }), 10);
      await arrived.promise;
      stop();
      bus.notify({ runId: 'r2', type: 'delta', delta: 'other' });
      clearInterval(telling);
      expect(heard[0]).toEqual({ runId: 'r1', type: 'delta', delta: 'word' });
      expect(heard.map(({ runId }) => runId)).not.toContain('r2');
    });

    it('brings an answer that streams already from its beginning', async () => {
      const cluster = await open();
      const [a, b] = [await cluster.member(), await cluster.member()];
      const { bus } = listening(b);
      listening(a);
      const epoch = await b.ownership.join();
      const piece = { runId: 'r1', type: 'delta', effectId: 4, attempt: 1 };
      bus.notify({ ...piece, offset: 0, delta: { type: 'text', text: 'Good ' } });
      bus.notify({ ...piece, offset: 5, delta: { type: 'text', text: 'day' } });
      const first = await new Promise<RunSignal>((resolve) => void a.hints.follow(epoch, 'r1', resolve));
      expect(first).toMatchObject({ offset: 0, delta: { type: 'text', text: 'Good day' } });
    });

    it('has a transition read from the log, whatever a signal says of it', async () => {
      const cluster = await open();
      const [a, b] = [await cluster.member(), await cluster.member()];
      const { bus } = listening(b);
      const { looked } = listening(a);
      const epoch = await b.ownership.join();
      const heard: RunSignal[] = [];
      a.hints.follow(epoch, 'r1', (signal) => heard.push(signal));
      const { seq: _, ...unnumbered } = { runId: 'r1', type: 'transition', seq: 1, path: 'done' } as const;
      const telling = setInterval(() => bus.notify(unnumbered as RunSignal), 10);
      await looked;
      clearInterval(telling);
      expect(heard).toEqual([]);
    });
  });
}
