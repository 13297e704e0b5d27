import { describe, expect, it } from 'vitest';
import type { RunView } from '../../../../src/protocol/views.ts';
import { answering, by, newWorkspace } from '../../../support/cli.ts';
import { toolsConfig } from '../../../support/tools-config.ts';

const tokens = (input: number, output: number) => ({
  inputTokens: input,
  outputTokens: output,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: null,
});

describe.concurrent('the object of --json', () => {
  it('has every field of the contract, and no other', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'Hello', model: 'mock-2026', reasoning: ['thinking ', 'hard'] });
    const { code, view } = await workspace.json(['run', 'hi', ...by(provider)]);
    expect(code).toBe(0);
    expect(view).toEqual({
      runId: expect.stringMatching(/^run_/),
      sessionId: expect.any(String),
      createdAt: expect.any(Number),
      endedAt: expect.any(Number),
      endpoint: { baseUrl: provider.baseUrl },
      status: 'done',
      outcome: 'completed',
      text: 'Hello',
      usage: tokens(10, 5),
      states: ['idle', 'active.working.thinking.requesting', 'done'],
      steps: [
        {
          model: 'mock-2026',
          text: 'Hello',
          reasoning: 'thinking hard',
          refusal: '',
          finishReason: 'stop',
          usage: tokens(10, 5),
          error: null,
          toolCalls: [],
        },
      ],
      pending: [],
      error: null,
    });
  });

  it('tells of each call: both ids, the arguments as written and parsed, and what became of it', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(
      {
        calls: [
          { id: 'call_a', name: 'calculator', arguments: '{"expression": "6*7"}' },
          { id: 'call_b', name: 'read_file', arguments: { path: 'missing.txt' } },
          { id: 'call_c', name: 'nonesuch', arguments: 'not json' },
        ],
      },
      { text: 'done' },
    );
    const { view } = await workspace.json(['run', 'go', ...by(provider)]);
    const [a, b, c] = view.steps[0]?.toolCalls ?? [];
    expect(a).toEqual({
      id: 'call_a',
      callId: expect.stringMatching(/^c\d+$/),
      name: 'calculator',
      argumentsRaw: '{"expression": "6*7"}',
      arguments: { expression: '6*7' },
      status: 'done',
      decision: null,
      result: expect.stringContaining('42'),
      isError: false,
      code: null,
      why: 'tool default: calculator does not ask',
      reason: { code: 'tool_does_not_ask', params: { tool: 'calculator' } },
    });
    expect(b).toMatchObject({ id: 'call_b', status: 'failed', isError: true, code: expect.any(String) });
    expect(c).toMatchObject({ id: 'call_c', arguments: null, argumentsRaw: 'not json', status: 'failed' });
    expect(c).toMatchObject({ isError: true, code: 'UNKNOWN_TOOL' });
    expect(new Set([a?.callId, b?.callId, c?.callId]).size).toBe(3);
  });

  it('keeps the partial text of the last attempt when all broke off, with a typed error', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: ['Once upon', ' a ti'], ending: 'drop' });
    const { code, view, stderr } = await workspace.json([
      'run',
      'tell',
      '--max-retries',
      '0',
      ...by(provider),
    ]);
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: 'failed', outcome: 'provider_error', text: 'Once upon a ti' });
    expect(view.error).toEqual({
      code: expect.stringMatching(/^MODEL_/),
      message: expect.any(String),
      retryable: expect.any(Boolean),
      reason: { code: 'model_connection_lost', params: expect.any(Object) },
    });
    expect(view.steps).toMatchObject([{ text: 'Once upon a ti', finishReason: null, toolCalls: [] }]);
    expect(view.steps[0]?.error?.code).toBe(view.error?.code);
    expect(stderr).toContain('provider_error');
  });

  it('of a parked run names what is asked, by call, arguments, their hash and why', async () => {
    const workspace = await newWorkspace({ 'detent.config.ts': toolsConfig });
    const provider = await answering({
      calls: [{ id: 'call_n', name: 'note', arguments: { text: 'buy milk' } }],
    });
    const { code, view } = await workspace.json(['run', 'go', ...by(provider)]);
    const callId = view.steps[0]?.toolCalls[0]?.callId;
    expect(code).toBe(5);
    expect(view).toMatchObject({ status: 'waiting', outcome: null, error: null });
    expect(view.states.at(-1)).toBe('active.awaitingConfirm');
    expect(view.pending).toEqual([
      {
        kind: 'confirm',
        callId,
        name: 'note',
        arguments: { text: 'buy milk' },
        argumentsHash: expect.stringMatching(/^[0-9a-f]{16,}$/),
        why: expect.stringContaining('note'),
        reason: { code: 'tool_asks', params: { tool: 'note' } },
      },
    ]);
    expect(view.steps[0]?.toolCalls).toMatchObject([
      { id: 'call_n', status: 'pending', decision: null, result: null, isError: false, code: null },
    ]);
  });

  it('is what "runs show --json" prints later', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ calls: [{ name: 'datetime' }] }, { text: 'done' });
    const { view } = await workspace.json(['run', 'go', ...by(provider)]);
    const shown = await workspace.json<RunView>(['runs', 'show', view.runId]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.view).toEqual(view);
  });
});
