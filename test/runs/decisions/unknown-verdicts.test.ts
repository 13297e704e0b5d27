import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recoverCall } from '../../../src/call/perform-call.ts';
import { type Detent, defineTool, type RunRequest } from '../../../src/index.ts';
import { parseSkill } from '../../../src/skills/files/parse-skill.ts';
import { policyFacts } from '../../../src/tools/policy/facts.ts';
import { resolvePolicy } from '../../../src/tools/policy/resolve.ts';
import { scripted } from '../../support/detent.ts';
import { inSizes } from '../../support/size.ts';

const strange: readonly unknown[] = [
  'deny',
  'rejected',
  'APPROVE',
  'approve ',
  'approved',
  '',
  null,
  undefined,
  true,
  1,
  ['approve'],
  { approve: true },
];

/** Any value of JavaScript but the words that are known. */
const anythingBut = (...known: string[]) =>
  fc
    .oneof(fc.anything(), fc.string(), fc.constantFrom(...strange))
    .filter((value) => !known.includes(value as string));

/** A tool that must not run, and a run that asks about a call of it. */
async function parked() {
  const ran: unknown[] = [];
  const launch = defineTool({
    name: 'launch',
    description: 'launches',
    jsonSchema: { type: 'object' },
    sideEffect: 'unsafe',
    run: (args) => ran.push(args),
  });
  const { detent } = await scripted([{ toolCalls: [{ name: 'launch' }] }, { text: 'done' }], {
    tools: { define: [launch] },
  });
  const run = detent.run('launch');
  const view = await run.result;
  const written = async () => (await detent.runs.events(run.runId)).length;
  return { detent, run, call: view.pending[0]?.callId ?? '', ran, written };
}

describe('an unknown verdict', () => {
  it('decides nothing and writes nothing', async () => {
    const { detent, run, call, ran, written } = await parked();
    const seq = await written();
    for (const verdict of strange)
      for (const confirm of [run.confirm, (c: string, d: never) => detent.runs.confirm(run.runId, c, d)])
        await expect(confirm(call, { verdict } as never)).rejects.toMatchObject({ code: 'INVALID_VERDICT' });
    for (const decision of [null, undefined, 'approve', ['approve'], {}])
      await expect(run.confirm(call, decision as never)).rejects.toMatchObject({ code: 'INVALID_VERDICT' });
    expect([ran, await written(), (await run.result).pending.length]).toEqual([[], seq, 1]);
  });

  it('names the known ones, and the nearest', async () => {
    const { run, call } = await parked();
    await expect(run.confirm(call, { verdict: 'Aprove' } as never)).rejects.toThrow(
      'the verdict is "approve", "reject", "modify", "answer", "result", not "Aprove"; did you mean "approve"?',
    );
  });

  it('of any value runs no unsafe tool', async () => {
    const { run, call, ran } = await parked();
    await fc.assert(
      fc.asyncProperty(anythingBut('approve', 'reject', 'modify', 'answer'), async (verdict) => {
        await expect(run.confirm(call, { verdict } as never)).rejects.toMatchObject({
          code: 'INVALID_VERDICT',
        });
      }),
      { numRuns: 100 },
    );
    expect([ran, (await run.result).status]).toEqual([[], 'waiting']);
  });

  it.each([
    { verdict: 'modify' },
    { verdict: 'modify', arguments: '' },
    { verdict: 'modify', arguments: null },
    { verdict: 'approve', grant: 'no' },
    { verdict: 'approve', grant: false },
    { verdict: 'approve', by: 7 },
    { verdict: 'approve', hash: null },
    { verdict: 'reject', reason: {} },
  ])('of a known word with a field of another type is refused: %j', async (decision) => {
    const { run, call, ran, written } = await parked();
    const seq = await written();
    await expect(run.confirm(call, decision as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect([ran, await written()]).toEqual([[], seq]);
  });

  it('on an interrupted call settles nothing', async () => {
    const { detent, run, call } = await parked();
    for (const verdict of [...strange, 'approve'])
      await expect(detent.runs.reconcile(run.runId, call, { verdict } as never)).rejects.toMatchObject({
        code: 'INVALID_VERDICT',
      });
  });
});

describe('a request of a run', () => {
  it.each([
    { approve: 'ALL' },
    { approve: null },
    { mode: 'Queue' },
    { mode: '' },
    { api: 'chats' },
    { tools: null },
    { tools: 'read_file' },
    { skills: null },
    { cache: 'false' },
    { stream: 0 },
    { aprove: 'none' },
    { principal: { tenantId: '1' } },
    { limits: null },
  ])('that says %j is refused before anything is written', async (fields) => {
    const { detent } = await scripted([]);
    const run = detent.run('hello', fields as RunRequest);
    await expect(run.result).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await detent.runs.list()).toEqual([]);
  });

  it('names a misspelt field', async () => {
    const { detent } = await scripted([]);
    await expect(detent.run('hello', { aprove: 'none' } as RunRequest).result).rejects.toThrow(
      'a run has no field "aprove"; did you mean "approve"?',
    );
  });

  it.each<[string, (detent: Detent, named: object) => Promise<unknown>]>([
    ['a run', (detent, named) => detent.run('hello', named).result],
    ['a fork', (detent, named) => detent.runs.fork('run_x', { at: 1, ...named })],
    ['a place of a fork', (detent, named) => detent.sessions.fork('s', { runId: 'run_x', seq: 1, ...named })],
    ['a filter of runs', (detent, named) => detent.runs.list(named)],
    ['a filter of usage', (detent, named) => detent.usage(named)],
    ['a scope of resume', (detent, named) => detent.runs.resume(named as { runId: string })],
    ['an import', (detent, named) => detent.sessions.import('', named)],
  ])('names sessionId where %s says session', async (what, asked) => {
    const { detent } = await scripted([]);
    await expect(asked(detent, { session: 's' })).rejects.toThrow(
      `${what} has no field "session"; did you mean "sessionId"?`,
    );
  });

  it.each<[string, (detent: Detent, named: object) => Promise<unknown>]>([
    ['a filter of counts', (detent, named) => detent.runs.counts(named)],
    ['a place of the feed', (detent, named) => detent.runs.feed(named)],
    ['a search', (detent, named) => detent.sessions.search('tea', named)],
  ])('names what %s has no field for', async (what, asked) => {
    const { detent } = await scripted([]);
    await expect(asked(detent, { user: 'ada' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(`${what} has no field "user"`),
    });
  });
});

describe('a class, a confirmation or a status of a tool that is unknown', () => {
  const unsafe = anythingBut('readonly', 'idempotent', 'probe');

  it('asks, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(unsafe, fc.anything(), async (sideEffect, confirm) => {
        fc.pre(confirm !== false);
        const ran: unknown[] = [];
        const launch = defineTool({
          name: 'launch',
          description: 'launches',
          jsonSchema: { type: 'object' },
          sideEffect: (() => sideEffect) as never,
          ...(confirm !== undefined && { confirm: () => confirm as never }),
          run: (args) => ran.push(args),
        });
        const { detent } = await scripted([{ toolCalls: [{ name: 'launch' }] }], {
          tools: { define: [launch] },
        });
        const view = await detent.run('launch').result;
        expect([view.status, ran]).toEqual(['waiting', []]);
      }),
      { numRuns: inSizes({ usual: 10, deep: 30, full: 30 }) },
    );
  });

  it.each([
    { sideEffect: 'readOnly' },
    { sideEffect: '' },
    { sideEffect: null },
    { sideEffect: 'readonly', confirm: 'never' },
    { sideEffect: 'readonly', untrusted: 'no' },
    { sideEffect: 'readonly', sends: 0 },
    { sideEffect: 'readonly', timeoutMs: Number.NaN },
    { sideEffect: 'readonly', maxConcurrent: 0 },
    { sideEffect: 'readonly', retries: -1 },
  ])('is refused where it is declared: %j', (fields) => {
    const tool = { name: 't', description: 't', jsonSchema: { type: 'object' }, run: () => '', ...fields };
    const define = () => defineTool(tool as never);
    expect(define).toThrow(expect.objectContaining({ code: 'INVALID_TOOL' }));
  });
});

describe('a policy that is unknown', () => {
  const silent = {
    tool: 't',
    taint: null,
    grant: null,
    skill: null,
    askingSkill: null,
    configured: null,
    own: true,
  };

  it('is as strict as none', () => {
    fc.assert(
      fc.property(anythingBut('ask', 'all'), (runOption) => {
        expect(resolvePolicy({ ...silent, runOption } as never).gate).toBe('refuse');
      }),
    );
  });

  it('of a configured tool asks', () => {
    fc.assert(
      fc.property(fc.anything(), (configured) => {
        fc.pre(configured !== false && configured !== null);
        expect(resolvePolicy({ ...silent, runOption: 'ask', own: false, configured } as never).gate).toBe(
          'ask',
        );
      }),
    );
  });

  it('keeps untrusted text and calls that send apart', async () => {
    const call = {
      tool: defineTool({
        name: 'send',
        description: '',
        jsonSchema: { type: 'object' },
        sideEffect: 'readonly',
        sends: () => undefined as never,
        run: () => '',
      }),
      raw: '{}',
      args: {},
      sideEffect: 'readonly',
    } as const;
    const context = {
      runId: 'r',
      sessionId: 's',
      allowed: null,
      approve: 'ask',
      approveGiven: false,
      workspace: '/',
      tainted: [{ tool: 'http_get', call: 'c1', at: 0 }],
    } as const;
    const { taint } = await policyFacts(call, context, {
      confirm: {},
      fourEyes: () => false,
      taint: 'OFF',
    } as never);
    expect(taint).toBe('http_get (c1)');
  });

  it('of an interrupted call leaves it to a person', () => {
    fc.assert(
      fc.property(anythingBut('readonly', 'idempotent', 'probe'), (found) => {
        const context = { pending: [{ id: 1, class: found }] } as never;
        expect(recoverCall(1, context)).toBe('uncertain');
      }),
    );
  });

  it.each([
    ['disable-model-invocation: TRUE', { isForModels: false }],
    ['disable-model-invocation: yes', { isForModels: false }],
    ['disable-model-invocation: maybe', { isForModels: false }],
    ['disable-model-invocation: False', { isForModels: true }],
    ['user-invocable: no', { isForPeople: false }],
    ['user-invocable: maybe', { isForPeople: false }],
    ['confirm-before: {a: b}', { confirmBefore: ['*'] }],
    ['confirm-before: "Bash(git push"', { confirmBefore: ['*'] }],
    ['allowed-tools: "Read Bash(git status"', { allowedTools: ['Read', 'status'] }],
  ])('of a skill is the stricter one: %s', (line, expected) => {
    const text = `---\nname: s\ndescription: d\n${line}\n---\nbody\n`;
    expect(parseSkill(text, 's')).toMatchObject(expected);
  });
});
