import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Detent, DetentOptions } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { gate, temporaryWorkspace, tool } from '../../support/detent.ts';

const model = (...script: Parameters<typeof scriptedModel>[0]) => ({
  model: 'test/script',
  models: { test: scriptedModel(script) },
});
const answering = { text: 'paid' };
const waits = tool('pay', { sideEffect: 'readonly', run: () => 'ok' });

/** Programs on one database, one after the other. */
async function programs() {
  const workspace = await temporaryWorkspace();
  const errors: unknown[] = [];
  const open = (over: DetentOptions): Detent =>
    createDetent({ workspace, env: {}, onError: (error) => void errors.push(error), ...over });
  /** Starts a run whose first model call does not end before its program does. */
  async function interrupted(over: DetentOptions, request = {}): Promise<string> {
    const { pass, reached } = gate();
    const first = open({
      ...over,
      ...model((_, { signal }) => pass(signal).then(() => ({ text: 'too late' }))),
    });
    const { runId } = first.run('pay', request);
    await reached;
    await first.close();
    return runId;
  }
  return { open, errors, interrupted, workspace };
}

describe('a run that an ended program has left', () => {
  it.each<[what: string, has: DetentOptions, missing: string]>([
    ['a tool of its program', { tools: { define: [waits] } }, 'the tool pay'],
    ['a hook of its program', { hooks: { beforeTool: [() => ({ veto: 'no' })] } }, 'a hook at beforeTool'],
    [
      'an MCP server of its program',
      { mcp: { servers: { shop: { url: 'http://127.0.0.1:9/mcp' } } } },
      'the MCP server shop',
    ],
  ])('is left alone by a program that lacks %s', async (_what, has, missing) => {
    const { open, errors, interrupted } = await programs();
    const runId = await interrupted(has);

    const other = open(model(answering));
    expect(await other.runs.resume()).toEqual([]);
    expect(errors).toMatchObject([{ code: 'CANNOT_DRIVE', details: { runId, missing } }]);
    await expect(other.runs.resume({ runId })).rejects.toMatchObject({ code: 'CANNOT_DRIVE' });
    expect((await other.runs.show(runId)).status).toBe('interrupted');
    const { details, next } = await other.runs.why(runId);
    expect(details).toContainEqual(
      expect.stringMatching(new RegExp(`it needs ${missing}, which .*; process ${process.pid} .* had it`)),
    );
    expect(next).toMatchObject([
      { text: 'resume it with the program that made it', command: null },
      { text: 'or continue here in a copy, without that', command: `detent runs fork ${runId} --at 1` },
    ]);
    await other.close();

    const again = open({ ...has, ...model(answering) });
    expect(await again.runs.resume()).toEqual([runId]);
    expect(await again.runs.attach(runId).result).toMatchObject({ status: 'done', text: 'paid' });
    await again.close();
  });

  it.each([
    ['a need of a kind that it does not know', '{"policies":["strict"]}'],
    ['a name that every object has', '{"constructor":[]}'],
    ['needs that are no list', '{"tools":"pay"}'],
  ])('is left alone when its row has %s', async (_what, needs) => {
    const { open, errors, interrupted, workspace } = await programs();
    const runId = await interrupted({});
    const db = new Sqlite(join(workspace, '.detent', 'detent.db'));
    db.prepare("UPDATE runs SET options = json_set(options, '$.needs', json(?))").run(needs);
    db.close();
    const other = open(model(answering));
    expect(await other.runs.resume()).toEqual([]);
    expect(errors).toMatchObject([{ code: 'CANNOT_DRIVE', details: { runId } }]);
    await other.close();
  });

  it('is left alone by a program that has no server or key for its model', async () => {
    const { open, errors, interrupted } = await programs();
    const runId = await interrupted({});
    const other = open({ model: 'demo/demo' });
    expect(await other.runs.resume()).toEqual([]);
    expect(errors).toMatchObject([
      { code: 'CANNOT_DRIVE', details: { missing: expect.stringContaining('the model test/script (') } },
    ]);
    expect((await other.runs.show(runId)).status).toBe('interrupted');
    await other.close();
  });

  it('is taken by a program with fewer tools if it may not use the others', async () => {
    const { open, interrupted } = await programs();
    const runId = await interrupted({ tools: { define: [waits] } }, { tools: ['read_file'] });
    const other = open(model(answering));
    expect(await other.runs.resume()).toEqual([runId]);
    expect(await other.runs.attach(runId).result).toMatchObject({ text: 'paid' });
    await other.close();
  });

  it('can be cancelled by any program, and forked: the fork does without what is missing', async () => {
    const { open, interrupted } = await programs();
    const runId = await interrupted({ tools: { define: [waits] } });
    const other = open(model(answering));
    const fork = await other.runs.fork(runId, { at: 1 });
    await other.runs.resume({ runId: fork.runId });
    expect(await other.runs.attach(fork.runId).result).toMatchObject({ status: 'done', text: 'paid' });
    expect(await other.runs.cancel(runId)).toBe(true);
    expect((await other.runs.show(runId)).status).toBe('cancelled');
    await other.close();
  });

  it('refuses a prompt behind it', async () => {
    const { open, interrupted } = await programs();
    await interrupted({ tools: { define: [waits] } }, { sessionId: 'shop' });
    const other = open(model(answering));
    await expect(other.run('next', { sessionId: 'shop' }).result).rejects.toMatchObject({
      code: 'CANNOT_DRIVE',
    });
    await other.close();
  });
});
