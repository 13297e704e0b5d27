// Detent as a program of a user has it. Modes: steps of a chart, tools of a chart, and a run of an agent, whose model is a function.
import { dirname } from 'node:path';
import { createDetent, defineTool } from 'detent';
import { step, tool, workflow } from 'detent/workflow';
import { assign, setup } from 'xstate';
import { z } from 'zod';

export function open({ file, mode, lengths, bump }) {
  const [kind, synchronous] = mode.split(', ');
  const charts = new Map(lengths.map((length) => [length, workflow(chartOf(length, kind, bump))]));
  const detent = createDetent({
    workspace: dirname(file),
    database: { file, synchronous },
    workflows: kind === 'agent' ? [] : [...charts.values()],
    system: 'You are a bench agent.',
    model: 'mock/mock',
    models: { mock: { generate: async (request) => answerTo(request, bump) } },
    tools: {
      define: [
        defineTool({
          name: 'bump',
          description: 'Add one',
          parameters: z.object({ n: z.number() }),
          sideEffect: 'readonly',
          run: ({ n }) => String(bump(n)),
        }),
      ],
      allowed: ['bump'],
    },
    skills: { bundled: false },
    memory: { recall: false },
  });
  return {
    async run(length) {
      const run =
        kind === 'agent'
          ? detent.run(`steps: ${length}`)
          : detent.workflows.start(charts.get(length), { n: 0 });
      const { status, text, output, error } = await run.result;
      if (status !== 'done') throw new Error(`${status}: ${error?.message}`);
      return kind === 'agent' ? Number(text) : output.n;
    },
    close: () => detent.close(),
  };
}

/** `length` services in a row, and the end. */
function chartOf(length, kind, bump) {
  const one =
    kind === 'steps'
      ? step({ sideEffect: 'idempotent', run: ({ n }) => bump(n) })
      : tool('bump', { output: z.number() });
  const states = Array.from({ length }, (_, i) => [
    `s${i}`,
    {
      invoke: {
        id: `s${i}`,
        src: 'one',
        input: ({ context }) => ({ n: context.n }),
        onDone: {
          target: `s${i + 1}`,
          actions: { type: 'note', params: ({ event }) => ({ n: event.output }) },
        },
        onError: 'failed',
      },
    },
  ]);
  return setup({ actors: { one }, actions: { note: assign((_, { n }) => ({ n })) } }).createMachine({
    id: `steps-${length}`,
    context: ({ input }) => ({ n: input.n }),
    output: ({ context }) => ({ n: context.n }),
    initial: 's0',
    states: {
      ...Object.fromEntries(states),
      [`s${length}`]: { type: 'final' },
      failed: { type: 'final' },
    },
  });
}

/** Every second service of the run is a call of the tool; the last one is an answer. */
function answerTo({ model, messages }, bump) {
  const length = Number(/\d+/.exec(messages.find(({ role }) => role === 'user').text)[0]);
  const n = messages.filter(({ role }) => role === 'tool').length * 2;
  bump(n);
  const isLast = n + 1 === length;
  return {
    model,
    text: isLast ? String(length) : '',
    reasoning: '',
    refusal: '',
    toolCalls: isLast ? [] : [{ id: `call_${n}`, name: 'bump', arguments: JSON.stringify({ n }) }],
    finish: isLast ? 'stop' : 'toolCalls',
    finishReason: isLast ? 'stop' : 'tool_calls',
    usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, reasoningTokens: 0 },
    error: null,
  };
}
