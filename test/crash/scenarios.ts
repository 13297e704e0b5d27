import type { MockScript } from '../support/mock-provider.ts';
import { png } from '../support/pictures.ts';
import type { Command } from './order.ts';

export interface Scenario {
  name: string;
  /** What the model says; `web` is where the pages are. */
  script: MockScript | ((web: string) => MockScript);
  /** One list of commands for each process, one after the other. */
  phases: Command[][];
  /** How the runs end, whatever is killed; several where a crash may truthfully change the end. */
  outcomes: readonly string[];
  contextWindow?: number;
  /** Types of events that must be in the log at the end, whatever was killed. */
  passes?: readonly string[];
  isFirstModelDown?: boolean;
  sharesBudget?: boolean;
  /** What every request shows, the last ones only behind results. */
  images?: readonly Buffer[];
  /** Texts each of which exactly one result has at the end, whatever was killed. */
  results?: readonly string[];
  /** How many runs there are at the end. */
  runs?: number;
  /** What the shell runs in; default: there is none. */
  sandbox?: 'auto' | 'none';
  hasServers?: boolean;
  /** Processes of its own are at work where some of the kills happen. */
  startsProcesses?: boolean;
  /** In the usual size, one of so many boundaries is one to die at. Default 4: there are several of each kind. */
  stride?: number;
}

const run = (approve?: 'all'): Command => ({ do: 'run', prompt: 'go', ...(approve && { approve }) });
const call = (name: string, args: object = {}) => ({ name, arguments: args });
const end = { text: 'all done' };

export const scenarios: readonly Scenario[] = [
  {
    name: 'an answer without tools',
    script: { turns: [{ answers: [end] }] },
    phases: [[run()]],
    outcomes: ['completed'],
  },
  {
    name: 'an answer that has to fit a schema, and does so the second time',
    script: {
      turns: [
        { when: 'does not fit', answers: [{ text: '{"ok":true}' }] },
        { answers: [{ calls: [call('look')] }, { text: 'words' }] },
      ],
    },
    phases: [[{ do: 'run', prompt: 'go', output: true }]],
    outcomes: ['completed'],
  },
  {
    name: 'read-only calls side by side, then an idempotent one',
    script: {
      turns: [{ answers: [{ calls: [call('look', { n: 1 }), call('look', { n: 2 }), call('note')] }, end] }],
    },
    phases: [[run()]],
    outcomes: ['completed'],
  },
  {
    name: 'unsafe calls that nobody is asked about',
    script: {
      turns: [{ answers: [{ calls: [call('pay', { n: 1 }), call('look'), call('pay', { n: 2 })] }, end] }],
    },
    phases: [[run()]],
    outcomes: ['completed'],
  },
  {
    name: 'an unsafe call that policy approves',
    script: { turns: [{ answers: [{ calls: [call('send')] }, end] }] },
    phases: [[run('all')]],
    outcomes: ['completed'],
  },
  {
    name: 'two calls that wait for people, decided by another process',
    script: { turns: [{ answers: [{ calls: [call('send', { n: 1 }), call('send', { n: 2 })] }, end] }] },
    phases: [[run()], [{ do: 'settle' }]],
    outcomes: ['completed'],
  },
  {
    name: 'calls that the client performs, beside one of the agent; another process gives the results',
    script: {
      turns: [
        {
          answers: [
            { calls: [call('client_look', { n: 1 }), call('pay'), call('client_look', { n: 2 })] },
            end,
          ],
        },
      ],
    },
    phases: [[{ do: 'run', prompt: 'go', hasClient: true }], [{ do: 'settle' }]],
    outcomes: ['completed'],
    results: ['the client saw c2', 'the client saw c4'],
  },
  {
    name: 'a call that can be asked what became of it',
    script: { turns: [{ answers: [{ calls: [call('store')] }, end] }] },
    phases: [[run()]],
    outcomes: ['completed'],
  },
  {
    name: 'a provider that fails twice',
    script: {
      turns: [{ answers: [[{ status: 500 }, { status: 429, headers: { 'retry-after-ms': '1' } }, end]] }],
    },
    phases: [[run()]],
    outcomes: ['completed'],
  },
  {
    name: 'streams that are cut behind a whole tool call',
    script: {
      turns: [
        {
          answers: [
            [
              { text: ['I will ', 'pay.'], calls: [call('pay', { n: 1 })], ending: 'drop' },
              { text: 'I pay.', calls: [call('pay', { n: 2 })] },
            ],
            [{ text: 'all', ending: 'drop' }, end],
          ],
        },
      ],
    },
    phases: [[run()]],
    outcomes: ['completed'],
    sharesBudget: true,
  },
  {
    name: 'a conversation that must be pruned, then compacted',
    script: {
      turns: [
        { when: 'Before the conversation above is shortened', answers: [{ text: 'They looked twice.' }] },
        { when: 'Summarise the conversation above', answers: [{ text: 'They said much.' }] },
        // After the compaction the summary is the last message of the user; the kept messages follow it.
        { when: 'Summary of the conversation', answers: [end, end, end] },
        {
          answers: [
            { calls: [call('look', { size: 4_000 })] },
            { calls: [call('look', { size: 8_000 })] },
            { calls: [call('look', { size: 12_000 })] },
            end,
          ],
        },
      ],
    },
    phases: [[run()]],
    outcomes: ['completed', 'completed_degraded'],
    contextWindow: 2_580,
    passes: ['context.pruned', 'flush.done', 'compact.done'],
  },
  {
    name: 'output that becomes an artifact',
    script: { turns: [{ answers: [{ calls: [call('look', { size: 60_000 })] }, end] }] },
    phases: [[run()]],
    outcomes: ['completed'],
  },
  {
    name: 'an image that came with the message, and one that a tool returned',
    script: {
      turns: [
        // On this wire the image of a result is in a message of the user.
        { when: 'what the tools returned', answers: [end] },
        { answers: [{ calls: [call('look', { image: true })] }] },
      ],
    },
    phases: [[{ do: 'run', prompt: 'go', image: true }]],
    outcomes: ['completed'],
    images: [png('given'), png('shown')],
  },
  {
    name: 'a message while an answer is being made',
    script: {
      turns: [{ when: 'rather', answers: [end] }, { answers: [{ calls: [call('pay')], delayMs: 60 }, end] }],
    },
    phases: [
      [
        { do: 'run', prompt: 'go', wait: false },
        { do: 'steerWhen', state: 'requesting', prompt: 'rather not' },
        { do: 'settle' },
      ],
    ],
    outcomes: ['completed'],
  },
  {
    name: 'a run that is cancelled at work, and the next one in its lane',
    script: {
      turns: [
        { when: 'again', answers: [{ calls: [call('pay')] }, end] },
        { answers: [{ text: 'too late', delayMs: 120 }] },
      ],
    },
    phases: [
      [
        { do: 'run', prompt: 'go', wait: false },
        { do: 'run', prompt: 'again', mode: 'interrupt' },
      ],
    ],
    outcomes: ['cancelled', 'completed'],
  },
  {
    name: 'a run that waits to ask its model again',
    script: { turns: [{ answers: [[{ status: 503, headers: { 'retry-after-ms': '400' } }, end]] }] },
    phases: [
      [{ do: 'run', prompt: 'go', wait: false }, { do: 'reach', state: 'backingOff' }, { do: 'settle' }],
    ],
    outcomes: ['completed'],
  },
  {
    name: 'a model that cannot be reached, and the one behind it',
    script: { turns: [{ answers: [{ calls: [call('note')] }, end] }] },
    phases: [[run()]],
    outcomes: ['completed'],
    isFirstModelDown: true,
    passes: ['model.switched', 'model.done'],
  },
  {
    name: 'old results that are shortened',
    script: {
      turns: [
        { answers: [...Array.from({ length: 4 }, () => ({ calls: [call('look', { size: 5_000 })] })), end] },
      ],
    },
    phases: [[run()]],
    outcomes: ['completed'],
    contextWindow: 5_400,
    passes: ['context.pruned', 'model.done'],
  },
  {
    name: 'a call that a shared budget has reserved for',
    script: { turns: [{ answers: [{ calls: [call('pay')] }, [{ status: 500 }, end]] }] },
    phases: [[run()]],
    outcomes: ['completed'],
    sharesBudget: true,
  },
];
