import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { Conversations } from '../../src/memory/conversations/conversations.ts';
import { IndexThread } from '../../src/memory/index/index-client.ts';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import { programFile } from '../support/program.ts';
import { inSizes, sized } from '../support/size.ts';
import { addTurn, tenant } from './conversations/support.ts';
import { ask, indexOf, patient, workspaceWith } from './support.ts';

const kills = inSizes({ usual: 2, deep: 4, full: 100 });

async function started(child: string, ...args: string[]): Promise<ChildProcess> {
  const file = programFile(`test/memory/children/${child}`);
  const process_ = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(process_.stdout ?? process_, 'data');
  return process_;
}

async function killed(child: ChildProcess, afterMs: number): Promise<void> {
  await sleep(afterMs);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

const entry = /<!-- run_(\w+):(\d+) -->\n((?:- .*\n)+)/g;

/** Every entry of a file; fails when one is torn. */
function entriesOf(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const [, name = '', n = '', lines = ''] of text.matchAll(entry)) {
    expect(lines.match(/^- \w+ \d+ (first|second|third) x{3000} end$/gm)).toHaveLength(3);
    for (const line of lines.trimEnd().split('\n')) expect(line).toMatch(new RegExp(`^- ${name} ${n} `));
    expect(entries.has(`${name} ${n}`)).toBe(false);
    entries.set(`${name} ${n}`, lines);
  }
  const rest = text.replaceAll(entry, '').replaceAll('\n', '');
  expect(rest).toBe('# 2026-03-05');
  return entries;
}

describe('a process that dies while it writes', () => {
  it(`leaves every entry whole or absent, ${kills} times`, async () => {
    const folder = await workspaceWith({});
    const file = join(folder, 'memory/2026-03-05.md');
    let written = 0;
    // On a busy machine such short lives may write nothing at all: then longer ones follow.
    for (let n = 0; n < kills || written === 0; n++) {
      const afterMs = 20 + ((n * 37) % 200) + Math.max(0, n - kills + 1) * 100;
      await killed(await started('writer', folder, `w${n}`, '100000'), afterMs);
      const entries = entriesOf(await readFile(file, 'utf8').catch(() => '# 2026-03-05\n'));
      expect(entries.size).toBeGreaterThanOrEqual(written);
      written = entries.size;
    }
    expect(written).toBeGreaterThan(sized(0, kills));
    const last = await started('writer', folder, 'last', '1');
    if (last.exitCode === null) await once(last, 'exit');
    // With the next writer the drafts of the dead are gone.
    expect(await readdir(join(folder, 'memory'))).toEqual(['2026-03-05.md']);
  });
});

describe('processes that write at the same time', () => {
  it('lose nothing, tear nothing, and agree on one title', async () => {
    const folder = await workspaceWith({});
    const count = sized(15, 200);
    const writers = await Promise.all(
      ['a', 'b', 'c'].map((name) => started('writer', folder, name, String(count))),
    );
    await Promise.all(writers.map((writer) => writer.exitCode ?? once(writer, 'exit')));
    const entries = entriesOf(await readFile(join(folder, 'memory/2026-03-05.md'), 'utf8'));
    expect(entries.size).toBe(3 * count);
  });
});

describe('a process that dies while it indexes', () => {
  it(`leaves an index that heals, ${kills} times`, async () => {
    const note = (n: number) =>
      `# Note ${n}\n\n${`The heron number ${n} stands in the reed. `.repeat(30)}\n\n## More\n\n苍鹭${n}\n`;
    const files = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`memory/${n}.md`, note(n)]));
    const folder = await workspaceWith(files);
    const untouched = indexOf(await workspaceWith(files));
    const expected = await ask(untouched, 'heron number 17');
    for (let n = 0; n < kills; n++) {
      await killed(await started('indexer', folder), 30 + ((n * 53) % 600));
      const service = indexOf(folder);
      expect(await service.status(patient)).toMatchObject({
        indexed: 120,
        chunks: 240,
        pending: 0,
        problems: [],
      });
      expect(await ask(service, 'heron number 17')).toEqual(expected);
      await service.close();
      const db = new Sqlite(join(folder, '.detent/memory.db'), { readonly: true });
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      const id = db.prepare("SELECT id FROM generations WHERE state = 'active'").pluck().get();
      expect(db.prepare(`SELECT count(*) FROM fts_${id}`).pluck().get()).toBe(240);
      db.close();
    }
  });
});

describe('a rebuild that dies again and again', () => {
  it(`continues each time from where it was, ${kills} times`, async () => {
    const note = (n: number) => `# Note ${n}\n\n${`The heron number ${n} stands in the reed. `.repeat(30)}\n`;
    const files = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`memory/${n}.md`, note(n)]));
    const folder = await workspaceWith(files);
    const first = indexOf(folder);
    const expected = (await ask(first, 'heron number 17')).results;
    await first.close();
    let before = { id: 0, done: 0 };
    let wentOn = 0;
    for (let n = 0; n < kills; n++) {
      const child = await started('rebuilder', folder);
      const db = new Sqlite(join(folder, '.detent/memory.db'));
      const begun = db.prepare("SELECT progress_at FROM generations WHERE state = 'building'").pluck();
      const last = begun.get();
      while (child.exitCode === null && begun.get() === last) await sleep(2);
      await killed(child, (n * 37) % 150);
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      const building = db.prepare("SELECT id FROM generations WHERE state = 'building'").pluck().all();
      expect(building.length).toBeLessThanOrEqual(1);
      const [id] = building as number[];
      if (id !== undefined) {
        const done = db.prepare(`SELECT count(*) FROM files_${id}`).pluck().get() as number;
        if (id === before.id) {
          expect(done).toBeGreaterThanOrEqual(before.done);
          wentOn++;
        }
        before = { id, done };
      }
      db.close();
      const service = indexOf(folder);
      expect((await ask(service, 'heron number 17')).results).toEqual(expected);
      await service.close();
    }
    expect(wentOn).toBeGreaterThan(0);
    const service = indexOf(folder);
    expect(await service.index(true)).toMatchObject({ indexed: 1_500, pending: 0, problems: [] });
    expect((await ask(service, 'heron number 17')).results).toEqual(expected);
    const db = new Sqlite(join(folder, '.detent/memory.db'));
    expect(db.prepare('SELECT state FROM generations').pluck().all()).toEqual(['active']);
    db.close();
  });
});

describe('a process that dies while it indexes conversations', () => {
  it(`leaves an index from which the next one continues, ${kills} times`, async () => {
    const folder = await workspaceWith({});
    const store = await openSqlite({ file: join(folder, 'runs.db'), synchronous: 'NORMAL' });
    const runs = 300;
    for (let n = 0; n < runs; n++)
      await addTurn(store, {
        sessionId: `s${n % 40}`,
        id: `r${n}`,
        user: `Did you see heron number ${n}?`,
        assistant: `I saw ${n} of them, and walrus${n} beside it. ${'They stood in the water. '.repeat(20)}`,
      });
    for (let n = 0; n < kills; n++) {
      await killed(await started('conversation-searcher', folder), 20 + ((n * 53) % 900));
      const thread = new IndexThread();
      const conversations = new Conversations({ store, thread, indexFile: () => join(folder, 'search.db') });
      const at = (n * 7) % runs;
      for (;;) {
        const found = await conversations.search({ tenant, userId: null }, [`walrus${at}`]);
        if (found.pending !== 0) continue;
        expect(found.indexed).toBe(runs);
        expect(found.results[0]).toMatchObject({ sessionId: `s${at % 40}`, runId: `r${at}` });
        break;
      }
      await conversations.close();
      await thread.close();
    }
    await store.close();
  });
});
