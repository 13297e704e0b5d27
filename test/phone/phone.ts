/** What runs on a phone: the engine, agents, calls, runs and the store, over what a host gives. */
import { createRunHost } from '../../src/agent/run-host.ts';
import { StreamRedactor } from '../../src/agent/services.ts';
import { createEmbeddedBus, noHints } from '../../src/engine/bus.ts';
import { systemClock } from '../../src/engine/clock.ts';
import { Engine } from '../../src/engine/engine.ts';
import { createMachineHosts, type MachineHost } from '../../src/engine/machine.ts';
import { SoleOwnership } from '../../src/engine/ownership.ts';
import { createOpenAIChat } from '../../src/models/openai/chat.ts';
import type { ModelDirectory } from '../../src/protocol/ports.ts';
import type { Tool } from '../../src/protocol/tool.ts';
import type { RunView } from '../../src/protocol/views.ts';
import { Runs } from '../../src/runs/runs.ts';
import { type Ask, request } from '../../src/store/program.ts';
import { defaultLimits } from '../../src/store/run-options.ts';
import type { SqlDriver } from '../../src/store/sql/driver.ts';
import { openDriver } from '../../src/store/sql/driver-store.ts';
import type { StatementsOf } from '../../src/store/statements.ts';
import { randomId } from '../../src/text/ids.ts';
import { noFiles } from '../../src/tools/files/file-guard.ts';
import { checkOutput } from '../../src/tools/output/output-schema.ts';
import { createPlainToolbox } from '../../src/tools/plain-toolbox.ts';
import type { ValueIssue } from '../../src/tools/registry/issues.ts';
import { schemaIssues } from '../../src/tools/registry/schema-issues.ts';

interface PhoneHost {
  storage: SqlDriver;
  fetch: typeof fetch;
  tools: readonly Tool[];
  report(error: unknown): void;
}

export interface Phone {
  start(prompt: string, runId: string): Promise<string>;
  resume(): Promise<string[]>;
  settled(runId: string): Promise<RunView>;
  approve(runId: string, call: string): Promise<unknown>;
  reconcile(runId: string, call: string): Promise<unknown>;
  close(): Promise<void>;
}

const tenant = 1;
const ask: Ask<StatementsOf<'drivers'>> = request;
const asIs = (text: string) => text;
const validators = new Map();
const plain = async (schema: object, value: unknown): Promise<ValueIssue[]> =>
  schemaIssues(schema as never, value, validators);

export function openPhone({ storage, fetch, tools, report }: PhoneHost): Phone {
  const store = openDriver(storage, 'phone');
  const [bus, clock, hosts] = [createEmbeddedBus(), systemClock, createMachineHosts()];
  const toolbox = createPlainToolbox({ tools, allowed: null, files: noFiles, schemaIssues: plain });
  const chat = createOpenAIChat({ baseURL: 'https://model.test/v1', apiKey: 'sk-none', fetch });
  const models: ModelDirectory = {
    resolve: async () => ({
      chat,
      model: 'm',
      contextWindow: 128_000,
      maxOutputTokens: 8_192,
      sendMaxOutputTokens: false,
      price: null,
      accepts: [],
    }),
    nameAddress() {},
    addressNow: () => null,
  };
  const place = { toolbox, workspace: null, memoryFolder: { workspace: '', tenant } };
  const ownership = new SoleOwnership(async (signs) => {
    const made = await store.commit(() => ask('insertDriver', { ...signs, pid: 0, at: clock.now() }));
    return made.epoch;
  });
  const engine: Engine = new Engine({
    store,
    hosts,
    clock,
    bus,
    ownership,
    redact: asIs,
    report,
    posted: (to) => runs.posted(to),
  });
  const runs: Runs = new Runs({
    engine,
    store,
    bus,
    toolbox,
    models,
    partsOf: async () => place,
    needsOf: () => null,
    redact: asIs,
    actor: 'app',
    fourEyes: () => false,
    hints: noHints,
    clock,
    report,
    looked() {},
  });
  hosts.add([
    createRunHost({
      ...place,
      store,
      bus,
      models,
      clock,
      partsOf: async () => place,
      newId: () => randomId('art'),
      redact: asIs,
      redactStream: () => new StreamRedactor([], asIs),
      random: Math.random,
      withClientTools: (all) => all,
      dayLog: { async append() {} },
      outputs: {
        check: (run, schema, text) =>
          checkOutput(schema, null, text, { owner: run.owner, schemaIssues: plain }),
      },
    }) as MachineHost,
  ]);
  return {
    start: (prompt, runId) =>
      runs.start({
        runId,
        tenant,
        sessionId: `s-${runId}`,
        prompt,
        mode: 'queue',
        limits: defaultLimits,
        options: {
          machine: 'run',
          agent: 'default',
          model: 'phone/m',
          endpoint: null,
          system: 'You help.',
          tools: null,
          approve: 'ask',
          workspace: '',
          principal: { tenantId: tenant, userId: null, claims: {} },
        },
      }),
    resume: () => runs.resume(tenant, undefined),
    settled: (runId) => runs.settled(tenant, runId),
    approve: (runId, call) => runs.confirm(tenant, runId, call, { verdict: 'approve' }),
    reconcile: (runId, call) => runs.reconcile(tenant, runId, call, { verdict: 'skip' }),
    async close() {
      await engine.stop();
      await runs.stop();
      await store.close();
    },
  };
}
