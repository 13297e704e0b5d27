import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { isNestedTooDeep, maxNesting, parseJson } from '../../src/protocol/json.ts';
import { isoTime } from '../../src/text/wording.ts';
import { scripted } from '../support/detent.ts';

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const deep = nested(10_000);

const note = defineTool({
  name: 'note',
  description: 'notes',
  jsonSchema: { type: 'object' },
  sideEffect: 'unsafe',
  run: () => 'noted',
});

describe('arguments that are nested 10,000 levels deep', () => {
  it('are refused with the reason, and break nothing that shows the run', async () => {
    const call = { toolCalls: [{ name: 'note', arguments: deep }] };
    const { detent } = await scripted([call, { text: 'ok' }], { tools: { define: [note] } });
    const { runId, sessionId, status, steps } = await detent.run('go').result;
    expect(steps[0]?.toolCalls[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      argumentsRaw: deep,
      arguments: null,
    });
    expect(steps[0]?.toolCalls[0]?.result).toContain('nested more than 200 levels deep');
    expect(status).toBe('done');
    expect(JSON.stringify(await detent.runs.show(runId))).toContain('INVALID_ARGUMENTS');
    expect((await detent.runs.why(runId)).summary).not.toBe('');
    expect((await detent.runs.replay(runId)).diverged).toBeNull();
    const lines = await Array.fromAsync(detent.sessions.export(sessionId));
    const copy = await detent.sessions.import(lines.join('\n'), { sessionId: 'copy' });
    expect(copy.sessionId).toBe('copy');
  });

  it('are refused as the new arguments of a decision', async () => {
    const call = { toolCalls: [{ name: 'note', arguments: {} }] };
    const { detent } = await scripted([call, { text: 'ok' }], { tools: { define: [note] } });
    const run = detent.run('go');
    const { pending } = await run.result;
    for (const given of [deep, JSON.parse(deep), JSON.parse(nested(300))])
      await expect(
        run.confirm(pending[0]?.callId ?? '', { verdict: 'modify', arguments: given }),
      ).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect((await run.result).status).toBe('waiting');
  });

  it('make the result of a tool unusable, and not the run', async () => {
    const tool = defineTool({
      ...note,
      sideEffect: 'readonly',
      confirm: false,
      run: () => JSON.parse(deep),
    } as never);
    const call = { toolCalls: [{ name: 'note', arguments: {} }] };
    const { detent } = await scripted([call, { text: 'ok' }], { tools: { define: [tool] } });
    const { status, steps } = await detent.run('go').result;
    expect([status, steps[0]?.toolCalls[0]?.status]).not.toContain('internal_error');
    expect(status).toBe('done');
  });
});

describe('the nesting of JSON', () => {
  it('is counted without recursion, and not within texts', () => {
    expect([isNestedTooDeep(nested(maxNesting)), isNestedTooDeep(nested(maxNesting + 1))]).toEqual([
      false,
      true,
    ]);
    expect(isNestedTooDeep(JSON.stringify({ a: `\\"${'['.repeat(1_000)}` }))).toBe(false);
    expect(isNestedTooDeep('['.repeat(1_000_000))).toBe(true);
    expect([parseJson(nested(maxNesting + 1)), parseJson('[]')]).toEqual([undefined, []]);
  });
});

describe('usage that is no token count', () => {
  it.each([
    { inputTokens: Number.NaN },
    { outputTokens: -1 },
    { inputTokens: 1e300 },
    { inputTokens: '12' },
    { outputTokens: undefined },
    { inputTokens: Number.POSITIVE_INFINITY },
    { outputTokens: 1.5 },
  ])('is unknown, said once, and no failed commit: %j', async (usage) => {
    const { detent } = await scripted([
      { text: 'ok', usage: { inputTokens: 1, outputTokens: 1, ...usage } as never },
    ]);
    const run = detent.run('go');
    const logs: unknown[] = [];
    await run.started;
    for await (const signal of run.events) if (signal.type === 'log') logs.push(signal.message);
    const { status, steps } = await run.result;
    expect([status, steps[0]?.usage]).toEqual(['done', null]);
    expect(logs).toEqual([expect.stringContaining('its usage is unknown')]);
    expect((await detent.usage()).total).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });

  it('of a tool counts as nothing', async () => {
    const spending = defineTool({
      ...note,
      sideEffect: 'readonly',
      confirm: false,
      run: (_: unknown, ctx: { charge(cost: object): void }) => {
        for (const costUsd of [Number.NaN, -5, 1e300, '3', undefined])
          ctx.charge({ inputTokens: costUsd, outputTokens: costUsd, costUsd });
        return 'ok';
      },
    } as never);
    const call = { toolCalls: [{ name: 'note', arguments: {} }] };
    const { detent } = await scripted([call, { text: 'ok' }], { tools: { define: [spending] } });
    expect((await detent.run('go').result).status).toBe('done');
  });
});

describe('an imported line', () => {
  const line = (fields: object) =>
    JSON.stringify({ type: 'user.message', text: 'hi', seq: 1, ts: 1, ...fields });

  it.each([8_640_000_000_001, -1, 1e300, 253_402_300_800])(
    'whose ts is %d is refused with its number',
    async (ts) => {
      const { detent } = await scripted([]);
      await expect(detent.sessions.import(`${line({})}\n${line({ ts, seq: 2 })}\n`)).rejects.toMatchObject({
        code: 'INVALID_SESSION_LOG',
        details: { line: 2 },
      });
      expect(await detent.sessions.list()).toEqual([]);
    },
  );

  it('that is nested too deep is refused with its number', async () => {
    const { detent } = await scripted([]);
    const bad = line({}).replace('"hi"', `"hi","extra":${deep}`);
    await expect(detent.sessions.import(`${line({})}\n${bad}\n`)).rejects.toMatchObject({
      code: 'INVALID_SESSION_LOG',
      details: { line: 2 },
    });
  });
});

describe('a time that is shown', () => {
  it('is a text, whatever the number', () => {
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_000_001, -1e300];
    expect(odd.map(isoTime)).toEqual(odd.map(() => '????-??-??T??:??:??.???Z'));
    expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
  });
});
