import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { scriptedModel } from '../../src/testing/index.ts';
import { gate, temporaryWorkspace, tool } from '../support/detent.ts';
import { programFile } from '../support/program.ts';
import { driver, until } from './drivers-support.ts';

const temporary = process.env.TMPDIR;
let workspace: string;

/** A path that is too long for a socket, here and in the temporary folder. */
beforeEach(async () => {
  workspace = join(await temporaryWorkspace(), 'a'.repeat(60), 'b'.repeat(60));
  mkdirSync(workspace, { recursive: true });
  process.env.TMPDIR = workspace;
});

afterEach(() => {
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
});

/** The addresses at which drivers listen for hints. */
function addresses(): unknown[] {
  const db = new Sqlite(join(workspace, '.detent', 'detent.db'), { readonly: true });
  const all = db.prepare('SELECT address FROM drivers').pluck().all();
  db.close();
  return all;
}

describe('processes that cannot have sockets', () => {
  it('deliver commands of each other, and see runs of each other', async () => {
    const busy = gate();
    const wait = tool('wait', { run: () => busy.pass().then(() => 'ok') });
    const tools = { define: [tool('send', { confirm: true }), wait] };
    const script = [{ toolCalls: [{ name: 'send' }, { name: 'wait' }] }, { text: 'done' }];
    const a = driver(workspace, scriptedModel(script), { tools });
    const b = driver(workspace, scriptedModel([{ text: 'other' }]), { tools });
    const runId = await a.run('go').started;
    const { pending } = await until(
      () => a.runs.show(runId),
      (shown) => shown.pending.length > 0,
    );
    await b.run('something else').result;
    const seen: string[] = [];
    const watched = (async () => {
      for await (const { type, path } of b.runs.attach(runId).events)
        if (type === 'transition') seen.push(String(path));
    })();
    const [asked] = pending;
    const decided = await b.runs.confirm(runId, asked?.callId ?? '', {
      verdict: 'approve',
      hash: asked?.argumentsHash ?? '',
    });
    expect(decided).toMatchObject({ applied: true });
    await busy.reached;
    busy.open();
    expect(await b.runs.attach(runId).result).toMatchObject({ status: 'done', text: 'done' });
    await watched;
    expect(seen.at(-1)).toBe('done');
    expect(addresses()).toEqual([null, null]);
  });

  it('take the runs of one that was killed', async () => {
    const script = programFile('test/runs/children/hanging');
    const child = spawn(process.execPath, [script, workspace], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [started] = await once(child.stdout, 'data');
    const b = driver(workspace, scriptedModel([{ text: 'done' }]));
    await b.runs.resume();
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    expect(await b.runs.attach(String(started)).result).toMatchObject({ status: 'done', text: 'done' });
    expect(addresses()).toEqual([null, null]);
  });
});
