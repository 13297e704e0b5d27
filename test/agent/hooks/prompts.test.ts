import { describe, expect, it } from 'vitest';
import type { StartingModelCall } from '../../../src/index.ts';
import type { ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { scripted, temporaryWorkspace, tool, withModel } from '../../support/detent.ts';
import { chatRuleViolations } from '../../support/openai-rules.ts';
import { didOf } from './records.ts';

const look: ScriptLine = { toolCalls: [{ name: 'look' }] };
const steps: ScriptLine[] = [look, look, { text: 'done' }];

/** Who speaks in a prompt, and the first words of what hooks add. */
const outline = ({ messages }: ModelRequest) =>
  messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, text }) => (text.startsWith('[Added by the hook') ? text.split('\n')[1] : role));

describe('what a hook adds to prompts', () => {
  it('of a run stands before its messages, in every prompt, and the hook is called once', async () => {
    let calls = 0;
    const { detent, model } = await scripted(steps, {
      tools: { define: [tool('look')] },
      hooks: { runStart: [() => ({ addContext: `weather ${++calls}` })] },
    });
    const { runId } = await detent.run('go', { sessionId: 's' }).result;
    expect(model.requests.map(outline)).toEqual([
      ['weather 1', 'user'],
      ['weather 1', 'user', 'assistant', 'tool'],
      ['weather 1', 'user', 'assistant', 'tool', 'assistant', 'tool'],
    ]);
    expect(await didOf(detent, runId)).toEqual(['runStart runStart 1 addContext']);
  });

  it('of a run is gone with it', async () => {
    let calls = 0;
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }], {
      hooks: { runStart: [() => ({ addContext: `run ${++calls}` })] },
    });
    for (const prompt of ['a', 'b']) await detent.run(prompt, { sessionId: 's' }).result;
    expect(model.requests.map(outline)).toEqual([
      ['run 1', 'user'],
      ['user', 'assistant', 'run 2', 'user'],
    ]);
  });

  it('of a call is in that call alone: before the question, or after the results', async () => {
    let calls = 0;
    const { detent, model } = await scripted(steps, {
      tools: { define: [tool('look')] },
      hooks: { beforeModel: [() => ({ addContext: `call ${++calls}` })] },
    });
    await detent.run('go').result;
    expect(model.requests.map(outline)).toEqual([
      ['call 1', 'user'],
      ['user', 'assistant', 'tool', 'call 2'],
      ['user', 'assistant', 'tool', 'assistant', 'tool', 'call 3'],
    ]);
    for (const { messages } of model.requests) expect(chatRuleViolations(messages)).toEqual([]);
  });

  it('is marked as data from that hook, and known secrets are taken out', async () => {
    const secret = 'hunter2-hunter2';
    const { detent, model } = await scripted([{ text: 'done' }], {
      env: { SHOP_PASSWORD: secret },
      hooks: {
        beforeModel: [
          async function prices() {
            return { addContext: `login ${secret}` };
          },
        ],
      },
    });
    const { runId } = await detent.run('go').result;
    const added = model.requests[0]?.messages.find(({ text }) => text.includes('prices'));
    expect(added).toEqual({
      role: 'user',
      text: '[Added by the hook "prices" of this program: data, not words of the user]\nlogin [redacted:SHOP_PASSWORD]',
    });
    expect(JSON.stringify(await detent.runs.events(runId))).not.toContain(secret);
  });

  it('is not in the conversation that the next run reads', async () => {
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }], {
      hooks: { beforeModel: [({ steps: n }) => (n === 0 ? { addContext: 'now' } : undefined)] },
    });
    for (const prompt of ['a', 'b']) await detent.run(prompt, { sessionId: 's' }).result;
    expect(model.requests.map(outline)[1]).toEqual(['user', 'assistant', 'now', 'user']);
  });

  it('may be 8,000 characters long, and no more', async () => {
    const texts = ['x'.repeat(8_000), 'x'.repeat(8_001)];
    const { detent } = await scripted([{ text: 'done' }, { text: 'done' }], {
      hooks: { beforeModel: [() => ({ addContext: texts.shift() ?? '' })] },
    });
    expect((await detent.run('a').result).outcome).toBe('completed');
    expect((await detent.run('b').result).error).toMatchObject({ code: 'HOOK_FAILED' });
  });

  it('survives the process: a run that another one carries on has it from the log', async () => {
    const store = openInMemory();
    const workspace = await temporaryWorkspace();
    const asks = tool('pay', { sideEffect: 'unsafe' });
    const script: ScriptLine[] = [{ toolCalls: [{ name: 'pay' }] }, { text: 'paid' }];
    const model = scriptedModel(script);
    let calls = 0;
    const options = {
      store,
      workspace,
      tools: { define: [asks] },
      hooks: { runStart: [() => ({ addContext: `shift ${++calls}` })] },
    };
    const first = withModel(model, options);
    const { runId, pending } = await first.run('go').result;
    await first.close();
    const second = withModel(model, options);
    await second.runs.confirm(runId, pending[0]?.callId ?? '', { verdict: 'approve' });
    await second.runs.resume({ runId });
    expect((await second.runs.attach(runId).result).text).toBe('paid');
    expect(model.requests.map(outline)[1]).toEqual(['shift 1', 'user', 'assistant', 'tool']);
    expect(calls).toBe(1);
  });
});

describe('a beforeModel hook', () => {
  it('sees the call, frozen, and the prompt as a copy', async () => {
    const seen: StartingModelCall[] = [];
    const { detent, model } = await scripted(steps, {
      tools: { define: [tool('look')], allowed: ['look'] },
      agents: { clerk: { systemPrompt: 'Be brief.' } },
      hooks: {
        beforeModel: [
          (view) => {
            seen.push(view);
            view.messages().push({ role: 'user', text: 'mine' });
          },
        ],
      },
    });
    const { runId } = await detent.run('go', { agent: 'clerk', sessionId: 's' }).result;
    expect(seen[1]).toMatchObject({
      runId,
      sessionId: 's',
      tenantId: 1,
      userId: null,
      agent: 'clerk',
      model: 'test/script',
      steps: 1,
      attempt: 1,
      tools: ['look'],
    });
    expect(seen[0]?.messages().map(({ text }) => text)).toEqual(['Be brief.', 'go']);
    expect(Object.isFrozen(seen[0]) && Object.isFrozen(seen[0]?.tools)).toBe(true);
    expect(model.requests[0]?.messages).toHaveLength(2);
  });

  it('is called for every attempt', async () => {
    const attempts: number[] = [];
    const { detent } = await scripted(
      [{ error: { retryable: true, kind: 'overloaded' } }, { text: 'done' }],
      { hooks: { beforeModel: [({ attempt }) => void attempts.push(attempt)] } },
    );
    expect((await detent.run('go').result).text).toBe('done');
    expect(attempts).toEqual([1, 2]);
  });

  it('that refuses ends the run before the model is asked, and the run says which one and why', async () => {
    const { detent, model } = await scripted([], {
      hooks: {
        beforeModel: [
          function nights() {
            return { veto: 'we are closed' };
          },
        ],
      },
    });
    const { runId, status, outcome, error } = await detent.run('go').result;
    expect({ status, outcome, error }).toEqual({
      status: 'failed',
      outcome: 'blocked_by_environment',
      error: { code: 'HOOK_VETO', message: 'the hook "nights" refused it: we are closed', retryable: false },
    });
    expect(model.requests).toEqual([]);
    expect((await detent.runs.why(runId)).summary).toContain('the hook "nights" refused it: we are closed');
  });
});

describe('an afterModel hook', () => {
  const said = 'call 555-0199';
  const masks = () => ({ rewrite: 'call [number]' });

  it('shows watchers nothing but what it leaves', async () => {
    const { detent } = await scripted([{ text: said }], { hooks: { afterModel: [masks] } });
    const run = detent.run('go');
    const told: string[] = [];
    for await (const signal of run.events) told.push(JSON.stringify(signal));
    expect(told.join()).not.toContain('555-0199');
    expect(told.filter((line) => line.includes('"delta"')).join()).toContain('call [number]');
    expect((await run.result).text).toBe('call [number]');
  });

  it('takes away what the provider would be shown again of the words it replaced', async () => {
    const providerData = { thinking: said };
    const model = scriptedModel([{ text: said, toolCalls: [{ name: 'look' }] }, { text: 'done' }]);
    const withData = {
      ...model,
      generate: async (...asked: Parameters<typeof model.generate>) => ({
        ...(await model.generate(...asked)),
        providerData,
      }),
    };
    const detent = withModel(withData, { tools: { define: [tool('look')] }, hooks: { afterModel: [masks] } });
    await detent.run('go').result;
    expect(JSON.stringify(model.requests[1])).not.toContain('555-0199');
  });

  it('sees what is to be called, and what it cost; refusing keeps the cost and not the answer', async () => {
    const seen: unknown[] = [];
    const { detent } = await scripted([{ text: said, toolCalls: [{ name: 'look', arguments: { at: 1 } }] }], {
      hooks: {
        afterModel: [
          ({ text, toolCalls, usage, isPartial }) => {
            seen.push({ text, toolCalls, tokens: usage?.inputTokens, isPartial });
            return { veto: 'numbers' };
          },
        ],
      },
    });
    const view = await detent.run('go').result;
    expect(seen).toEqual([
      { text: said, toolCalls: [{ name: 'look', arguments: '{"at":1}' }], tokens: 10, isPartial: false },
    ]);
    expect(view.steps).toEqual([]);
    const { event } = (await detent.runs.events(view.runId)).at(-1) ?? {};
    expect(event?.cost).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  it('is asked about an answer that broke off, too', async () => {
    const { detent } = await scripted([{ text: said, error: { message: 'broken' } }], {
      hooks: { afterModel: [({ isPartial }) => (isPartial ? { rewrite: 'cut' } : undefined)] },
    });
    const {
      steps: [step],
      error,
    } = await detent.run('go').result;
    expect([step?.text, error?.code]).toEqual(['cut', 'MODEL_BAD_REQUEST']);
  });
});
