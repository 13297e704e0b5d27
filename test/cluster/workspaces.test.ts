import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { placeOf } from '../../src/runtime/parts/placed-runs.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { newDatabase } from '../support/postgres.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'detent-machine-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A worker on a machine whose workspace is this folder. */
function workerAt(
  url: string,
  workspace: string,
  script: readonly ScriptLine[],
  options: DetentOptions = {},
) {
  const model = scriptedModel(script);
  const detent = createDetent({
    ...{ workspace, env: {}, database: { url }, model: 'script/one', models: { script: model } },
    ...options,
  });
  onTestFinished(() => detent.close());
  return { detent, model };
}

const question = { question: 'Which colour?' };

describe('a run that has written a file', () => {
  const script: ScriptLine[] = [
    { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] },
    { toolCalls: [{ name: 'ask_user', arguments: question }] },
  ];

  it('goes on only where that file is, says where that is, and is taken elsewhere when it is told to', async () => {
    const url = await newDatabase();
    const [near, far] = [newFolder(), newFolder()];
    const first = workerAt(url, near, script);
    const { runId, status, pending } = await first.detent.run('Write.', { approve: 'all' }).result;
    expect(status).toBe('waiting');
    expect(readFileSync(join(near, 'a.txt'), 'utf8')).toBe('a');
    await first.detent.close();

    const other = workerAt(url, far, [{ text: 'from afar' }]);
    await other.detent.runs.resume();
    const callId = pending[0]?.callId ?? '';
    await other.detent.runs.confirm(runId, callId, { verdict: 'answer', answer: 'red' });
    await expect(other.detent.runs.resume({ runId })).rejects.toMatchObject({
      code: 'OTHER_WORKSPACE',
      details: { runId, folder: near, machine: hostname() },
    });
    // For a moment the process that had it last still counts as alive.
    const said = async () => (await other.detent.runs.why(runId)).details.join('\n');
    await expect
      .poll(said, { interval: 20, timeout: 10_000 })
      .toContain(`the workspace ${near} on ${hostname()}`);
    const { next } = await other.detent.runs.why(runId);
    expect(next.map(({ command }) => command)).toContain(`detent runs resume ${runId} --here`);
    // While this process hands its decision on, the run counts as its own.
    await expect.poll(async () => (await other.detent.runs.show(runId)).status).toBe('decided');
    expect(other.model.requests).toEqual([]);
    await other.detent.close();

    const taker = workerAt(url, far, [{ text: 'from afar' }], { movedDatabase: 'adopt' });
    await taker.detent.runs.resume({ runId });
    expect(await taker.detent.runs.attach(runId).result).toMatchObject({ status: 'done', text: 'from afar' });
  });
});

describe('the id of a workspace', () => {
  it('is made once, also by processes that make it at once, and is not read out of anything else', async () => {
    const folders = Array.from({ length: 20 }, newFolder);
    const module = new URL('../../src/runtime/parts/placed-runs.ts', import.meta.url).href;
    const code = `
      const { parentPort, workerData: { module, folders } } = require('node:worker_threads');
      import(module).then(({ placeOf }) => parentPort.postMessage(folders.map((folder) => placeOf(folder, true).id)));`;
    const made = await Promise.all(
      [1, 2, 3].map(
        () =>
          new Promise((resolve, reject) => {
            const worker = new Worker(code, { eval: true, workerData: { module, folders } });
            worker.once('message', resolve).once('error', reject);
          }),
      ),
    );
    const ids = folders.map((folder) => placeOf(folder, false)?.id);
    expect(made).toEqual([ids, ids, ids]);
    expect(new Set(ids).size).toBe(folders.length);
    const [folder = ''] = folders;
    expect(readdirSync(join(folder, '.detent')).sort()).toEqual(['.gitignore', 'workspace-id']);
    writeFileSync(join(folder, '.detent', 'workspace-id'), 'anything');
    expect(() => placeOf(folder, true)).toThrow(expect.objectContaining({ code: 'INVALID_WORKSPACE' }));
  });

  it('is not made in a folder that only reads, and not for a file of SQLite', async () => {
    const folder = newFolder();
    expect(placeOf(folder, false)).toBeNull();
    const detent = createDetent({ workspace: folder, env: {}, model: 'demo/demo' });
    onTestFinished(() => detent.close());
    await detent.run('What is 17 * 23?').result;
    expect(readdirSync(join(folder, '.detent'))).not.toContain('workspace-id');
  });
});
