import { describe, expect, it } from 'vitest';
import type { DetentOptions, Logger, LogLevel } from '../../src/index.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { scripted, tool } from '../support/detent.ts';

interface Line {
  level: LogLevel;
  message: string;
  [field: string]: unknown;
}

const ranks: LogLevel[] = ['error', 'warn', 'info', 'debug'];

/** Keeps what it is told, from the most important level down to `most`. */
function keeping(most: LogLevel): { logger: Logger; lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: LogLevel) => (fields: object, message: string) =>
    void lines.push({ level, message, ...structuredClone(fields) });
  const isLevelEnabled = (level: LogLevel) => ranks.indexOf(level) <= ranks.indexOf(most);
  const logger: Logger = {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    isLevelEnabled,
  };
  return { logger, lines };
}

async function logged(script: readonly ScriptLine[], options: DetentOptions = {}, most: LogLevel = 'info') {
  const { logger, lines } = keeping(most);
  const { detent } = await scripted(script, { logger, ...options });
  const view = await detent.run('the secret of the sea', { sessionId: 's' }).result;
  return { lines, view, detent };
}

const look: ScriptLine = { text: 'let me look', toolCalls: [{ name: 'look', arguments: { at: 'shelf' } }] };
const broken = tool('look', {
  run: () => {
    throw new Error('the shelf is locked');
  },
});

describe('what the log has of a run', () => {
  it('is that it waits, by which rule, and who decided after how long, without the arguments', async () => {
    const pay = { toolCalls: [{ name: 'pay', arguments: { to: 'the secret of the sea' } }] };
    const tools = { define: [tool('pay', { sideEffect: 'unsafe' })] };
    const { lines, view, detent } = await logged([pay, { text: 'ok' }], { tools });
    const asked = { runId: view.runId, sessionId: 's', callId: 'c2', kind: 'confirm', tool: 'pay' };
    const of = (message: string) => lines.filter((line) => line.message === message);
    await expect.poll(() => of('run waits')).toMatchObject([{ ...asked, level: 'info', seq: 2 }]);
    await detent.runs.confirm(view.runId, 'c2', { verdict: 'approve', by: 'ann' });
    await expect
      .poll(() => of('run decided'))
      .toMatchObject([
        {
          ...asked,
          rule: of('run waits')[0]?.rule,
          verdict: 'approve',
          by: 'ann',
          waitedMs: expect.any(Number),
        },
      ]);
    expect(of('run waits')[0]?.rule).toContain('pay');
    expect(JSON.stringify(lines)).not.toContain('secret of the sea');
  });

  it('is that a call without a model waits, of which hooks are told, too', async () => {
    const { logger, lines } = keeping('info');
    const told: string[] = [];
    const hooks = { runWaiting: [({ tool }: { tool: string }) => void told.push(tool)] };
    const tools = { define: [tool('pay', { sideEffect: 'unsafe' })] };
    const { detent } = await scripted([], { logger, tools, hooks });
    const { runId } = await detent.tools.call('pay', {}).result;
    const waits = () => lines.filter(({ message }) => message === 'run waits');
    await expect.poll(waits).toMatchObject([{ runId, callId: 'c1', kind: 'confirm', tool: 'pay' }]);
    await expect.poll(() => told).toEqual(['pay']);
  });

  it('warns of an answer that does not fit the output schema, without its words', async () => {
    const { logger, lines } = keeping('warn');
    const { detent } = await scripted([{ text: 'secret words' }, { text: '3' }], { logger });
    await detent.run('go', { output: { type: 'integer' } }).result;
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        message: 'answer does not fit the output schema',
        effectId: 1,
        isAskedAgain: true,
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret words');
  });

  it('is its start and its end, with what it cost, each under its run, session, tenant and seq', async () => {
    const { lines, view } = await logged([{ text: 'done' }]);
    const run = { runId: view.runId, sessionId: 's', tenant: 1 };
    expect(lines).toEqual([
      { level: 'info', message: 'run started', ...run, seq: 1, agent: 'default', model: 'test/script' },
      {
        level: 'info',
        message: 'run ended',
        ...run,
        seq: 2,
        outcome: 'completed',
        steps: 1,
        inputTokens: 10,
        outputTokens: 5,
        // Nobody knows the price of this model.
        costUsd: null,
        ms: expect.any(Number),
      },
    ]);
  });

  it('has null for a cost that nobody knows at debug, too', async () => {
    const { logger, lines } = keeping('debug');
    const { detent } = await scripted([{ text: 'done' }], { logger });
    await detent.run('hi').result;
    const answered = lines.find(({ event }) => event === 'model.done');
    expect(answered).toMatchObject({ body: { cost: { inputTokens: 10, outputTokens: 5, costUsd: null } } });
  });

  it('names the user of the run', async () => {
    const { lines, detent } = await logged([{ text: 'done' }, { text: 'done' }]);
    lines.length = 0;
    await detent.run('hi', { principal: { userId: 'ada' } }).result;
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line.user).toBe('ada');
  });

  it('is every transition at debug, one line each, in order', async () => {
    const { lines, view, detent } = await logged(
      [look, { text: 'done' }],
      { tools: { define: [tool('look')] } },
      'debug',
    );
    const events = await detent.runs.events(view.runId);
    const transitions = lines.filter(({ message }) => message === 'transition');
    expect(transitions.map(({ seq, event, path }) => [seq, event, path])).toEqual(
      events.map(({ seq, event, path }) => [seq, event.type, path]),
    );
  });

  const refusing: [string, string, DetentOptions, unknown][] = [
    ['a tool that does not exist', 'UNKNOWN_TOOL', {}, 'no such tool'],
    [
      'a tool that is not allowed',
      'TOOL_NOT_ALLOWED',
      { tools: { define: [tool('look')], disabled: ['look'] } },
      'allow-list',
    ],
    [
      'nobody to ask',
      'REJECTED_BY_POLICY',
      { tools: { define: [tool('look', { confirm: true })] }, policy: { approve: 'none' } },
      expect.stringContaining('approve none'),
    ],
  ];
  it.each(refusing)('is each refusal with its code and reason: %s', async (_, code, options, reason) => {
    const { lines } = await logged([look, { text: 'done' }], options, 'warn');
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', message: 'call refused', callId: 'c2', code, reason }),
    ]);
  });

  it('is a person who rejects, a tool that fails, and a hook that refuses', async () => {
    const { logger, lines } = keeping('warn');
    const { detent } = await scripted([look, look, look, { text: 'done' }], {
      logger,
      tools: { define: [tool('look', { confirm: true, run: broken.run })] },
      hooks: {
        beforeTool: [
          function shelves({ callId }) {
            return callId === 'c6' ? { veto: 'dusty' } : null;
          },
        ],
      },
    });
    const run = detent.run('go');
    const decide = async (verdict: { verdict: 'approve' } | { verdict: 'reject'; reason: string }) =>
      run.confirm((await run.result).pending[0]?.callId ?? '', verdict);
    await decide({ verdict: 'reject', reason: 'hands off' });
    await decide({ verdict: 'approve' });
    await decide({ verdict: 'approve' });
    await run.result;
    expect(lines.map(({ message, callId, code, reason }) => [message, callId, code, reason])).toEqual([
      ['call refused', 'c2', 'REJECTED_BY_USER', 'hands off'],
      ['tool call failed', 'c4', 'TOOL_FAILED', undefined],
      ['hook refused', undefined, 'HOOK_VETO', 'dusty'],
      ['tool call failed', 'c6', 'HOOK_VETO', undefined],
    ]);
  });

  it('is retries and switches at info, and the failure that ends it at warn', async () => {
    const overloaded: ScriptLine = {
      error: { kind: 'overloaded', retryable: true, code: 'MODEL_OVERLOADED' },
    };
    const { lines } = await logged([overloaded, { error: {} }]);
    expect(lines.map(({ level, message, code }) => [level, message, code])).toEqual([
      ['info', 'run started', undefined],
      ['info', 'model call to be retried', 'MODEL_OVERLOADED'],
      ['warn', 'model call failed', 'MODEL_BAD_REQUEST'],
      ['info', 'run ended', 'MODEL_BAD_REQUEST'],
    ]);
  });

  it('has no words of user, model or tool above debug', async () => {
    const { lines } = await logged([look, { text: 'the answer' }], { tools: { define: [broken] } });
    const text = JSON.stringify(lines);
    for (const words of ['secret of the sea', 'let me look', 'shelf', 'the answer'])
      expect(text).not.toContain(words);
  });

  it.each(ranks)('is only what is wanted: %s', async (most) => {
    const { lines } = await logged([look, { text: 'done' }], {}, most);
    const wanted = ranks.slice(0, ranks.indexOf(most) + 1);
    expect(lines.filter(({ level }) => !wanted.includes(level))).toEqual([]);
    expect(lines.length > 0).toBe(most !== 'error');
  });

  it('has no known secret: not in arguments, results, errors, reasons or session keys', async () => {
    const secret = 'hunter2-hunter2';
    const { logger, lines } = keeping('debug');
    const { detent } = await scripted(
      [
        { toolCalls: [{ name: 'look', arguments: { secret } }] },
        { error: { message: `bad key ${secret}`, code: 'MODEL_BAD_KEY' } },
      ],
      {
        logger,
        env: { SHOP_PASSWORD: secret },
        tools: { define: [tool('look', { run: () => secret })] },
        hooks: { beforeTool: [() => ({ veto: `because of ${secret}` })] },
      },
    );
    await detent.run(secret, { sessionId: `for ${secret}` }).result;
    const text = JSON.stringify(lines);
    expect(text).not.toContain(secret);
    expect(text).toContain('bad key [redacted:SHOP_PASSWORD]');
    expect(text).toContain('for [redacted:SHOP_PASSWORD]');
  });
});

describe('a logger', () => {
  it('that throws disturbs no run', async () => {
    const bad = () => {
      throw new Error('no space left');
    };
    const logger: Logger = { error: bad, warn: bad, info: bad, debug: bad };
    const { detent } = await scripted([look, { text: 'done' }], { logger });
    expect((await detent.run('go').result).outcome).toBe('completed');
  });

  it('is told of failures that no caller is told of, beside onError', async () => {
    const { logger, lines } = keeping('error');
    const { detent } = await scripted([{ text: 'done' }], {
      logger,
      onError: () => {},
      hooks: {
        runEnd: [
          () => {
            throw new Error('no mail');
          },
        ],
      },
    });
    const { runId } = await detent.run('go').result;
    await detent.close();
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', message: 'failure', runId, code: 'HOOK_FAILED' }),
    ]);
  });
});
