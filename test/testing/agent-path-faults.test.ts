import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { brokenPrompt, repeatedHarm } from '../../src/testing/agent/broken-rules.ts';
import { type AgentPath, type AgentPathsOptions, agentPaths } from '../../src/testing/index.ts';

const ran: string[] = [];
const tool = (name: string, rest: object) =>
  defineTool({
    name,
    description: name,
    jsonSchema: { type: 'object', properties: { order: { type: 'string' } } },
    run: () => {
      ran.push(name);
      return `${name} ran`;
    },
    ...rest,
  } as never);
const refund = (rest: object = {}) => tool('refund', { sideEffect: 'unsafe', ...rest });
type Asking = { ask(question: object): Promise<unknown> };

const payBack = { name: 'refund', arguments: { order: 'A-17' } };
const refunding: AgentPathsOptions = { options: { tools: { define: [refund()] } }, calls: [payBack] };
const delegating: AgentPathsOptions = {
  ...refunding,
  calls: [{ name: 'task', arguments: { prompt: 'Pay back A-17.' }, inside: payBack }],
};

async function pathsWith(words: RegExp, options: AgentPathsOptions): Promise<AgentPath[]> {
  const paths = (await agentPaths(options)).filter(({ name }) => words.test(name));
  expect(paths).not.toEqual([]);
  return paths;
}

/** The names of the paths that fail, with the first line of what they say. */
async function failures(paths: AgentPath[], check?: Parameters<AgentPath['run']>[0]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    ran.length = 0;
    const why = await path.run(check).then(
      () => null,
      (error: Error) => error.message.split('\n')[0],
    );
    if (why !== null) found.push(`${path.name}: ${why}`);
  }
  return found;
}

/** Open until the end of a test: closing one takes away the locks that this process has on the file. */
const spoilt: DatabaseSync[] = [];

/** Changes the rows of the run that is led, as a bug of Detent would. */
function spoil(sql: string): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'detent-spoilt-'));
  vi.stubEnv('TMPDIR', folder);
  return () => {
    for (const file of globSync(join(folder, '*/detent.db'))) {
      const database = new DatabaseSync(file);
      database.exec(sql);
      spoilt.push(database);
    }
  };
}

afterEach(() => {
  for (const database of spoilt.splice(0)) database.close();
  if (process.env.TMPDIR?.includes('detent-spoilt-')) rmSync(process.env.TMPDIR, { recursive: true });
  vi.unstubAllEnvs();
});

describe('a run in the queue', () => {
  it('is cancelled, expires, loses its process, and keeps a message', async () => {
    const paths = await pathsWith(/queued run|run is queued/, refunding);
    expect(paths.map(({ name }) => name)).toEqual([
      'the user cancels the queued run',
      'the turn of the queued run never comes',
      'the turn of the queued run comes, the model answers',
      'the user sends another message to the queued run, the turn of the queued run comes, the model answers',
      'the process dies while the run is queued, the turn of the queued run comes, the model answers',
    ]);
    expect(await failures(paths)).toEqual([]);
  });

  it('is found when it loses the message', async () => {
    const lose = spoil(`DELETE FROM messages WHERE role = 'user' AND json_extract(body, '$.text') = 'more'`);
    const paths = await pathsWith(/queued run|run is queued/, refunding);
    expect(await failures(paths, lose)).toEqual([
      expect.stringContaining(
        'to the queued run, the turn of the queued run comes, the model answers: at the end: the session has 2 messages of the user, who sent 3',
      ),
    ]);
  });
});

describe('models that take over', () => {
  const options = { ...refunding.options, fallbacks: ['openai/a', 'openai/b'] };

  it('answer when a provider is down, one after the other, and fail together', async () => {
    const paths = await pathsWith(/the next model takes over/, { options });
    expect(await failures(paths)).toEqual([]);
    const ends = await Promise.all(paths.map(async (path) => (await path.run()).error?.code ?? 'done'));
    expect(new Set(ends)).toEqual(new Set(['done', 'ALL_MODELS_FAILED']));
    const [own] = await pathsWith(/the next model takes over/, {
      options: { agents: { writer: { fallbacks: ['openai/a'] } } },
      request: { agent: 'writer' },
    });
    expect((await own?.run())?.status).toBe('done');
  });

  it('are found when a hook refuses them', async () => {
    const beforeModel = [
      ({ model }: { model: string }) => (model.endsWith('-2') ? { veto: 'not that one' } : null),
    ];
    const paths = await pathsWith(/the next model takes over, the model answers$/, {
      options: { ...options, hooks: { beforeModel } },
    });
    const found = await failures(paths);
    expect(found).toHaveLength(paths.length);
    for (const each of found) expect(each).toContain('after "the ');
  });
});

describe('a process that dies while a person is asked', () => {
  const booking = (sideEffect: string, run: (input: unknown, ctx: Asking) => Promise<string>) => ({
    options: { tools: { define: [tool('book', { sideEffect, confirm: false, run }), refund()] } },
    calls: [{ name: 'book', answer: 'tomorrow' }, payBack],
  });
  const deaths = /dies (while book asks|before a person)/;
  const atMostOnce = () => expect(ran.filter((name) => name === 'booked').length).toBeLessThan(2);
  const askThenBook = async (_: unknown, { ask }: Asking) => {
    await ask({ text: 'When?' });
    ran.push('booked');
    return 'booked';
  };

  it.each(['idempotent', 'unsafe'])(
    'loses no decision, and repeats no %s call that acts after its question',
    async (sideEffect) => {
      const paths = await pathsWith(deaths, booking(sideEffect, askThenBook));
      expect(await failures(paths, atMostOnce)).toEqual([]);
    },
  );

  it('is found where a tool acts before it asks, although it says that it may be repeated', async () => {
    const bookThenAsk = async (_: unknown, { ask }: Asking) => {
      ran.push('booked');
      return String(await ask({ text: 'When?' }));
    };
    const paths = await pathsWith(deaths, booking('idempotent', bookThenAsk));
    const found = await failures(paths, atMostOnce);
    expect(found.length).toBeGreaterThan(0);
    for (const each of found) expect(each).toContain('the process dies while book asks');
  });

  it('is found when the question is left open', async () => {
    const open = spoil(`UPDATE confirmations SET status = 'open'`);
    const paths = await pathsWith(/dies before a person has decided/, refunding);
    expect(await failures(paths, open)).toEqual([
      expect.stringContaining('at the end: the question about c2 is open'),
    ]);
  });
});

describe('a run that a call starts', () => {
  const paidByPerson = () => expect(ran).toEqual([]);

  it('answers, fails, asks a person, and survives its process', async () => {
    const paths = await pathsWith(/task/, delegating);
    const names = paths.map(({ name }) => name);
    for (const words of [
      'the process dies while the run of task works',
      'the process dies while a person is asked',
      'a person rejects refund in the run of task',
      'the run of task fails',
    ])
      expect(names.some((name) => name.includes(words))).toBe(true);
    const found = await failures(paths, ({ performed }) => {
      const refunds = performed.filter(({ tool: name }) => name === 'refund');
      // A call that its run gives up at that moment counts, and its tool may not have begun.
      expect(ran.length).toBeLessThanOrEqual(refunds.length);
      expect(refunds.length).toBeLessThan(2);
    });
    expect(found).toEqual([]);
  });

  it('pays nothing without a person', async () => {
    const without = (await pathsWith(/task/, delegating)).filter(({ name }) => !/approves/.test(name));
    expect(await failures(without, paidByPerson)).toEqual([]);
  });

  it('is found when it pays without a person', async () => {
    const options = { tools: { define: [refund({ confirm: false })] } };
    const paths = (await pathsWith(/task/, { ...delegating, options })).filter(
      ({ name }) => !/approves/.test(name),
    );
    expect(await failures(paths, paidByPerson)).toEqual([
      expect.stringContaining(
        'the model calls task, the run of task calls refund and answers, the model answers: ',
      ),
    ]);
  });
});

describe('a compaction', () => {
  const words = /the prompt is too long/;

  it('is interrupted, fails to write memory or summary, and comes three times at most', async () => {
    const paths = await pathsWith(words, {});
    const names = paths.map(({ name }) => name);
    expect(names).toContain(
      'the prompt is too long, the memory is written, the process dies, the conversation is summarised, the model answers',
    );
    expect(names).toContain(
      'the prompt is too long, the memory is written, the summary fails, the summary fails, the prompt is too long',
    );
    expect(await failures(paths)).toEqual([]);
  });

  it('is found when it loses what it replaces, or its summary', async () => {
    const one = {
      only: 'the prompt is too long, the memory is written, the conversation is summarised, the model answers',
    };
    const lose = spoil(
      `DELETE FROM messages WHERE role = 'user' AND json_extract(body, '$.text') LIKE '% 7'`,
    );
    expect(await failures(await agentPaths(one), lose)).toEqual([
      expect.stringContaining('the session has 25 messages of the user, who sent 26'),
    ]);
    const forget = spoil(`DELETE FROM messages WHERE role = 'summary'`);
    expect(await failures(await agentPaths(one), forget)).toEqual([
      expect.stringContaining('1 compactions left 0 summaries'),
    ]);
  });

  it('is found when a hook stops it', async () => {
    const hooks = { beforeCompact: [() => ({ veto: 'never' })] };
    const found = await failures(await pathsWith(words, { options: { hooks } }));
    expect(found).toContainEqual(expect.stringContaining('after "the conversation is summarised"'));
  });
});

describe('what no path may leave behind', () => {
  const call = { id: 'a', name: 'refund', arguments: '{}' };
  const asks = { role: 'assistant' as const, text: '', reasoning: '', toolCalls: [call] };
  const result = { role: 'tool', toolCallId: 'a', name: 'refund', text: 'done' } as never;

  it('is a prompt whose calls do not have one result each', () => {
    expect(brokenPrompt([asks, result])).toBeNull();
    expect(brokenPrompt([asks])).toContain('ends with calls without results: a');
    expect(brokenPrompt([asks, { role: 'user', text: 'and?' }, result])).toContain(
      'calls without results: a',
    );
    expect(brokenPrompt([asks, result, result])).toContain('a result of no call');
  });

  it('is an unsafe call that ran twice under one key, without a person', () => {
    const once = { tool: 'refund', arguments: {}, idempotencyKey: 'run:2' };
    const calls = [{ name: 'refund', class: 'unsafe', task: null }] as never;
    expect(repeatedHarm([once, { ...once, idempotencyKey: 'run:3' }], calls, [])).toBeNull();
    expect(repeatedHarm([once, once], calls, ['retry'])).toBeNull();
    expect(repeatedHarm([once, once], calls, ['skip'])).toContain('an unsafe call ran again: refund');
  });
});
