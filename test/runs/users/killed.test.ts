import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DetentOptions } from '../../../src/index.ts';
import { assemble, createDetent } from '../../../src/runtime/create-detent.ts';
import type { Store } from '../../../src/store/store.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { programFile } from '../../support/program.ts';
import { inSizes } from '../../support/size.ts';

const kills = inSizes({ usual: 2, deep: 4, full: 60 });
/** Every day at every third boundary. */
const stride = inSizes({ usual: 3, deep: 2, full: 1 });
const hers = 'zqxsecretwvk';
const guest = { principal: { userId: 'guest:7' } };
const ann = { principal: { userId: 'ann' } };
const bob = { principal: { userId: 'bob' } };

function hasWords(folder: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(hers),
  );
}

/** As a process that is gone from one boundary on: before a commit, or when it is written and not yet told. */
function dyingAt(point: number) {
  let passed = 0;
  let isCounting = false;
  const boundary = () => {
    if (isCounting && passed++ >= point) throw new Error('the process is dead');
  };
  const between = async <T>(work: () => Promise<T>): Promise<T> => {
    boundary();
    const value = await work();
    boundary();
    return value;
  };
  return {
    begin: () => {
      isCounting = true;
    },
    hasDied: () => passed > point,
    decorate: (store: Store): Store =>
      new Proxy(store, {
        get(target, name) {
          if (name === 'commit') return (program: never) => between(() => target.commit(program));
          if (name === 'erase' && target.erase)
            return (program: never) => between(async () => target.erase?.(program));
          const value = Reflect.get(target, name, target) as unknown;
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
  };
}

function worldIn(workspace: string) {
  const open = (decorate?: (store: Store) => Store) => {
    const test = scriptedModel(Array.from({ length: 9 }, () => ({ text: hers })));
    const options: DetentOptions = {
      workspace,
      env: {},
      model: 'test/script',
      models: { test },
      onError: () => {},
    };
    const detent = decorate ? assemble(options, { store: decorate }) : createDetent(options);
    onTestFinished(() => detent.close().catch(() => {}));
    return detent;
  };
  return { open };
}

describe('a process that dies at any commit', () => {
  it('while it gives a guest away: nothing is lost, nothing is seen by two, and it ends', async () => {
    let point = 0;
    for (let hasDied = true; hasDied; point += stride) {
      const workspace = await temporaryWorkspace();
      const { open } = worldIn(workspace);
      const dying = dyingAt(point);
      const first = open(dying.decorate);
      await first.run(hers, { ...guest, sessionId: 'g' }).result;
      await first.run(hers, { ...ann, sessionId: 'a' }).result;
      await first.memory.write(['of the guest'], { userId: 'guest:7' });
      await first.memory.write(['of Ann'], { userId: 'ann' });
      dying.begin();
      await first.users.claim({ from: 'guest:7', to: 'ann' }).catch(() => {});
      hasDied = dying.hasDied();
      const second = open();
      const sees = async (userId: string) => (await second.sessions.list({ userId })).length;
      expect([await sees('guest:7'), await sees('ann')]).toEqual((await sees('ann')) === 2 ? [0, 2] : [1, 1]);
      await second.users.finish();
      await second.users.claim({ from: 'guest:7', to: 'ann' }).catch(() => {});
      expect([await sees('guest:7'), await sees('ann')]).toEqual([0, 2]);
      const { files } = await second.memory.files({ userId: 'ann' });
      const texts = await Promise.all(files.map(({ path }) => second.memory.get(path, { userId: 'ann' })));
      const memory = texts.map(({ text }) => text).join('\n');
      expect(memory.match(/of the guest/g)).toHaveLength(1);
      expect(memory.match(/of Ann/g)).toHaveLength(1);
    }
    console.log(`claims: died at ${point / stride - 1} boundaries`);
    expect(point).toBeGreaterThan(3);
  });

  it('while it forgets a user: the next process leaves no word, and all of others', {
    timeout: 60_000,
  }, async () => {
    let point = 0;
    for (let hasDied = true; hasDied; point += stride) {
      const workspace = await temporaryWorkspace();
      const { open } = worldIn(workspace);
      const dying = dyingAt(point);
      const first = open(dying.decorate);
      await first.run('I am Bob.', { ...bob, sessionId: 'b' }).result;
      await first.run(`${hers} one`, { ...ann, sessionId: 'a' }).result;
      await first.memory.write([hers], { userId: 'ann' });
      await first.sessions.delete('b');
      dying.begin();
      await first.users.forget('ann').catch(() => {});
      hasDied = dying.hasDied();
      const second = open();
      await second.run('I am Bob.', { ...bob, sessionId: 'b2', cache: false }).result;
      await second.sessions.delete('b2');
      await second.users.finish();
      // Before its first commit nothing was begun.
      if (hasWords(workspace)) await second.users.forget('ann');
      expect(hasWords(workspace)).toBe(false);
      expect(await second.users.isGone('ann')).toBe(false);
    }
    console.log(`forgetting: died at ${point / stride - 1} boundaries`);
    expect(point).toBeGreaterThan(5);
  });
});

describe('kill -9', () => {
  it('of one of two processes on a database: the other goes on', { timeout: 120_000 }, async () => {
    const goer = programFile('test/runs/users/children/goer');
    for (let n = 0; n < kills; n++) {
      const workspace = await temporaryWorkspace();
      const { open } = worldIn(workspace);
      const detent = open();
      await detent.run(hers, { ...ann, sessionId: 'a' }).result;
      await detent.memory.write([hers], { userId: 'ann' });
      const child = spawn(process.execPath, [goer, workspace], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      await sleep(Math.random() * 60);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      const run = detent.run('I am Bob.', { ...bob, sessionId: 'b', cache: false });
      await detent.users.finish();
      if (hasWords(workspace)) {
        await run.result;
        await detent.sessions.delete('b');
        await detent.users.forget('ann');
      } else await run.result.then(() => detent.sessions.delete('b'));
      expect(hasWords(workspace)).toBe(false);
    }
  });
});
