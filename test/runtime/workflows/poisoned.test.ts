import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { step, workflow } from '../../../src/workflow/index.ts';
import { temporaryWorkspace } from '../../support/detent.ts';

const calls: string[] = [];
let isSlow = true;
const work = (name: string) =>
  step({
    sideEffect: 'idempotent',
    run: () => (isSlow ? new Promise<void>(() => {}) : void calls.push(name)),
  });

const both = workflow(
  setup({ actors: { deadly: work('deadly'), good: work('good') } }).createMachine({
    id: 'both',
    version: '1',
    type: 'parallel',
    states: {
      one: {
        initial: 'working',
        states: {
          working: { invoke: { id: 'deadly', src: 'deadly', onDone: 'done', onError: 'gone' } },
          done: { type: 'final' },
          gone: { type: 'final' },
        },
      },
      two: {
        initial: 'working',
        states: {
          working: { invoke: { id: 'good', src: 'good', onDone: 'done', onError: 'gone' } },
          done: { type: 'final' },
          gone: { type: 'final' },
        },
      },
    },
  }),
);

describe('a step whose process died three times', () => {
  it('is told to onError, and what runs beside it goes on', async () => {
    const workspace = await temporaryWorkspace();
    const options = { workspace, env: {}, model: 'demo/demo', workflows: [both] };
    const first = createDetent(options);
    const { runId } = first.workflows.start('both');
    await expect.poll(async () => (await first.runs.show(runId)).status).toBe('running');
    await first.close();
    const database = new Sqlite(join(workspace, '.detent/detent.db'));
    database.prepare("update effects set attempt = 3, status = 'started' where n = 1").run();
    database.close();

    isSlow = false;
    const second = createDetent(options);
    await second.runs.resume();
    expect(await second.runs.attach(runId).result).toMatchObject({
      status: 'done',
      workflow: { state: { one: 'gone', two: 'done' } },
    });
    expect(calls).toEqual(['good']);
    await second.close();
  });
});
