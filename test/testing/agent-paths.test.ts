import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { type AgentPathsOptions, agentPaths } from '../../src/testing/index.ts';
import { inSizes } from '../support/size.ts';

const tool = (name: string, rest: object) =>
  defineTool({
    name,
    description: name,
    jsonSchema: { type: 'object', properties: { order: { type: 'string' } } },
    run: () => `${name} ran`,
    ...rest,
  } as never);

const shop: AgentPathsOptions = {
  options: {
    tools: {
      define: [
        tool('refund', { sideEffect: 'unsafe' }),
        tool('find', { sideEffect: 'readonly' }),
        tool('book', {
          sideEffect: 'idempotent',
          confirm: false,
          run: async (_: unknown, { ask }: { ask: (question: object) => Promise<unknown> }) =>
            `booked ${await ask({ text: 'When?' })}`,
        }),
      ],
      disabled: ['shell'],
    },
    limits: { maxTokens: 5_000 },
  },
  prompt: 'Please pay back A-17.',
  calls: [
    { name: 'refund', arguments: { order: 'A-17' }, change: { order: 'A-18' } },
    { name: 'find', arguments: { order: 'A-17' } },
    { name: 'book', answer: 'tomorrow' },
    { name: 'shell', arguments: { command: 'ls' } },
  ],
};

const paths = await agentPaths(shop);
/** Each how many paths one is run; a number that is prime takes all kinds of them. */
const oneOf = inSizes({ usual: 8, deep: 4, full: 1 });

describe('the paths of an agent', () => {
  it('are few enough, and say as sentences what happens', () => {
    console.log(`agent paths: ${paths.length}`);
    const names = paths.map(({ name }) => name);
    expect(names).toContain('the model calls refund, a person rejects refund, the model answers');
  });

  it.each(paths.filter((_, nth) => nth % oneOf === 0))('$name', async (path) => {
    await path.run(({ performed, status }) => {
      expect(['done', 'failed', 'cancelled']).toContain(status);
      const refunds = performed.filter(({ tool: name }) => name === 'refund');
      const approved = path.steps.filter((words) => /approves refund|made again/.test(words));
      expect(refunds.length).toBeLessThanOrEqual(approved.length);
    });
  });

  it('say on a failure which path it was, and how to repeat it alone', async () => {
    const name = 'the model refuses';
    const [path, ...others] = await agentPaths({ ...shop, only: name });
    expect(others).toEqual([]);
    const failing = path?.run(() => {
      throw new Error('not so');
    });
    await expect(failing).rejects.toThrow(
      `not so\non the path "${name}"; to repeat it alone: agentPaths({ …, only: "${name}" })`,
    );
  });

  it('are refused for a tool that the agent does not have, and for a name that no path has', async () => {
    for (const call of [{ name: 'refnd' }, { name: 'find', inside: { name: 'refnd' } }])
      await expect(agentPaths({ ...shop, calls: [call] })).rejects.toThrow(
        /"refnd", which the agent does not have; did you mean "refund"\?; it has ask_user, .*refund/,
      );
    await expect(agentPaths({ ...shop, only: 'the model refuse' })).rejects.toThrow(
      /"the model refuse", which is none of the \d+ paths/,
    );
  });

  it('are no more than asked for, the shortest first', async () => {
    const few = await agentPaths({ ...shop, maxPaths: 5 });
    expect(few.map(({ name }) => name)).toEqual(paths.slice(0, 5).map(({ name }) => name));
  });

  it('need an answer that fits where the agent has an output schema', async () => {
    const options = { agents: { brief: { output: { type: 'object', required: ['title'] } } } };
    const request = { agent: 'brief' };
    await expect(agentPaths({ options, request })).rejects.toThrow('give "answer" a value that fits it');
    const made = await agentPaths({ options, request, answer: { title: 'A' } });
    const unfit = made.filter(({ steps }) => steps.includes('the model gives an answer that does not fit'));
    const ends = await Promise.all(unfit.map(async (path) => (await path.run()).status));
    expect(new Set(ends)).toEqual(new Set(['done', 'failed']));
  });
});
