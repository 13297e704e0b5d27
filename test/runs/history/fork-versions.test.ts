import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runMachineVersion } from '../../../machines/run.machine.ts';
import { replay } from '../../../src/engine/log/replay.ts';
import type { MachineHost } from '../../../src/engine/machine/machine-host.ts';
import { forkAt } from '../../../src/runs/history/fork.ts';
import { compose } from '../../../src/runtime/compose.ts';
import type { Core } from '../../../src/runtime/config/core.ts';
import { startRequest } from '../../../src/runtime/requests/run-request.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { randomId } from '../../../src/text/ids.ts';
import { nextVersion } from '../../runtime/run-machine-next.ts';
import { modelOptions, temporaryWorkspace, tool } from '../../support/detent.ts';
import { recording, type Standing, standing, tenant } from './long-run.ts';
import { forkedFrom, found } from './standing.ts';

/** A run that parks under one version of its machine, and that a program with the next version resumes. */
async function migrated(script: readonly ScriptLine[], sessionId?: string) {
  const seen = new Map<string, Map<number, Standing>>();
  const workspace = await temporaryWorkspace();
  const { store: _, ...options } = modelOptions(scriptedModel(script), {
    workspace,
    database: { file: join(workspace, 'd.db') },
    tools: { define: [tool('pay', { sideEffect: 'unsafe' })] },
  });
  const open = async (host: (first: MachineHost) => MachineHost | MachineHost[]): Promise<Core> => {
    const core = await compose(options, { store: (store) => recording(store, seen), host });
    onTestFinished(() => core.close());
    return core;
  };
  const start = async (core: Core) => {
    const request = { model: 'test/script', ...(sessionId !== undefined && { sessionId }) };
    const runId = await core.runs.start(startRequest('go', request, {}, randomId('run')));
    await core.runs.settled(tenant, runId);
    return runId;
  };
  const first = await open((host) => host);
  const runIds = [await start(first), ...(sessionId === undefined ? [] : [await start(first)])];
  await first.close();
  const core = await open((host) => [nextVersion(host), host]);
  return { core, runIds, seen };
}

const call: ScriptLine = { toolCalls: [{ name: 'pay', arguments: { usd: 9 } }] };
const end: ScriptLine = { text: 'paid' };

async function finish({ runs }: Core, runId: string) {
  await runs.resume(tenant, { runId });
  const { pending } = await runs.settled(tenant, runId);
  for (const { kind } of pending)
    if (kind === 'reconcile') await runs.reconcile(tenant, runId, 'c2', { verdict: 'retry' });
    else await runs.confirm(tenant, runId, 'c2', { verdict: 'approve' });
  return runs.settled(tenant, runId);
}

it('a migrated run is forked on either side of its migration, each fork of the version that it had then', async () => {
  const { core, runIds, seen } = await migrated([call, ...Array.from({ length: 9 }, () => end)]);
  const [runId = ''] = runIds;
  expect(await finish(core, runId)).toMatchObject({ status: 'done' });
  const { store, hosts, redact } = core;
  const row = await core.runs.row(tenant, runId);
  const events = await store.query('listEvents', { run: row.pk, after: 0, limit: 99 });
  const migration = events.find(({ type }) => type === 'run.migrated')?.seq ?? 0;
  expect(migration).toBe(3);
  for (let seq = 1; seq <= row.seq; seq++) {
    const at = Date.now();
    const fork = await forkAt(store, hosts, { tenant, runId, seq, newId: randomId, redact, at });
    const copy = await core.runs.row(tenant, fork.runId);
    expect([seq, copy.version]).toEqual([seq, runMachineVersion + (seq < migration ? 0 : 1)]);
    const before = seen.get(runId)?.get(seq);
    if (!before) throw new Error(`nothing was seen at ${seq}`);
    const stood = forkedFrom(before, events[seq - 1]?.at);
    expect([seq, found(await standing(store, copy), at)]).toEqual([seq, stood]);
    // A migration is no work, and moves no clock.
    expect([seq, copy.updatedAt]).toEqual([seq, before.row.updatedAt]);
    if (seq < row.seq && seq > 1)
      expect([seq, await finish(core, fork.runId)]).toMatchObject([seq, { status: 'done' }]);
    const forked = await core.runs.row(tenant, fork.runId);
    const log = await store.query('listEvents', { run: forked.pk, after: 0, limit: 99 });
    expect([seq, replay(hosts, forked, log, redact)]).toEqual([seq, { diverged: null, folded: log.length }]);
  }
});

it('a run that was migrated before it began is forked, too', async () => {
  const { core, runIds } = await migrated([call, ...Array.from({ length: 9 }, () => end)], 's');
  const [first = '', second = ''] = runIds;
  await core.runs.resume(tenant, undefined);
  await finish(core, first);
  await core.runs.settled(tenant, second);
  const row = await core.runs.row(tenant, second);
  const [event] = await core.store.query('listEvents', { run: row.pk, after: 0, limit: 1 });
  expect([row.version, event?.type]).toEqual([runMachineVersion + 1, 'run.migrated']);
  const history = await core.history();
  for (const seq of [0, 1, 2]) {
    const { runId } = await history.fork({ tenant, runId: second, seq });
    expect([seq, await finish(core, runId)]).toMatchObject([seq, { status: 'done', text: 'paid' }]);
  }
});
