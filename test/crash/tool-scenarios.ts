import type { MockAnswer } from '../support/mock-provider.ts';
import type { Command } from './order.ts';
import type { Scenario } from './scenarios.ts';

const call = (name: string, args: object = {}) => ({ name, arguments: args });
const end = { text: 'all done' };
const approved: Command = { do: 'run', prompt: 'go', approve: 'all' };
const task: MockAnswer = { calls: [call('task', { prompt: 'look it up' })] };

/** Notes itself in the ledger and then takes some time. */
const command = (label: string) =>
  call('shell', {
    command: `echo '{"tool":"shell","key":"${label}"}' >> ledger.jsonl; sleep 0.1; echo did it`,
  });

/** Two processes that would sleep on, one of them as independent as it gets, under names by which they are found. */
const background = call('shell', {
  command: `(setsid bash -c 'exec -a "$PWD/child" sleep 1000' &); exec -a "$PWD/job" sleep 1000`,
  background: true,
});

const commands: Omit<Scenario, 'name' | 'sandbox'> = {
  script: {
    turns: [
      {
        answers: [
          { calls: [background, command('command-1')] },
          { calls: [call('shell_output', { id: 'job_c2' })] },
          { calls: [command('command-2')] },
          end,
        ],
      },
    ],
  },
  phases: [[approved]],
  outcomes: ['completed'],
  startsProcesses: true,
};

/** What happens outside of the process: commands, other people's servers, and runs within runs. */
export const toolScenarios: readonly Scenario[] = [
  { ...commands, name: 'commands in the sandbox, and one in the background', sandbox: 'auto', stride: 4 },
  {
    ...commands,
    name: 'commands without a sandbox, and one in the background',
    sandbox: 'none',
    stride: 4,
    // A process that leaves the group lives on there; see docs/sandbox.md.
    script: {
      turns: [
        {
          answers: [
            {
              calls: [
                call('shell', { command: 'exec -a "$PWD/job" sleep 1000', background: true }),
                command('command-1'),
              ],
            },
            end,
          ],
        },
      ],
    },
  },
  {
    name: 'pages of the web',
    script: (web) => ({
      turns: [
        {
          answers: [
            {
              calls: [call('http_get', { url: `${web}/page-1` }), call('http_get', { url: `${web}/page-2` })],
            },
            { calls: [call('http_get', { url: `${web}/page-3/moved` })] },
            end,
          ],
        },
      ],
    }),
    phases: [[approved]],
    outcomes: ['completed'],
    results: ['It says page-1.', 'It says page-2.', 'It says page-3.'],
    stride: 3,
  },
  {
    name: 'tools of two servers, one of them trusted',
    script: {
      turns: [
        {
          answers: [
            {
              calls: [
                call('mcp__plain__write', { label: 'write-1' }),
                // What it says of itself is not believed.
                call('mcp__plain__look', { label: 'look-1' }),
              ],
            },
            {
              calls: [
                call('mcp__trusted__look', { label: 'look-2' }),
                call('mcp__trusted__write', { label: 'write-2' }),
              ],
            },
            end,
          ],
        },
      ],
    },
    phases: [[approved]],
    outcomes: ['completed'],
    hasServers: true,
    results: ['saw look-2'],
    startsProcesses: true,
    stride: 4,
  },
  {
    name: 'a task',
    script: {
      turns: [
        { when: 'look it up', answers: [{ calls: [call('note'), call('pay')] }, { text: 'it was found' }] },
        { answers: [task, end] },
      ],
    },
    phases: [[{ do: 'run', prompt: 'go' }]],
    outcomes: ['completed'],
    runs: 2,
    results: ['it was found'],
    sharesBudget: true,
    stride: 5,
  },
  {
    name: 'a task that waits for a person, who decides in another process',
    script: {
      turns: [
        { when: 'look it up', answers: [{ calls: [call('send')] }, { text: 'it was sent' }] },
        { answers: [task, end] },
      ],
    },
    phases: [[{ do: 'run', prompt: 'go' }], [{ do: 'settle' }]],
    outcomes: ['completed'],
    runs: 2,
    results: ['it was sent'],
    stride: 6,
  },
  {
    name: 'a task whose parent is cancelled',
    script: {
      turns: [
        { when: 'look it up', answers: [{ text: 'too late', delayMs: 120 }] },
        { answers: [task, end] },
      ],
    },
    phases: [
      [
        { do: 'run', prompt: 'go', wait: false },
        { do: 'cancelParentWhen', state: 'requesting' },
        { do: 'settle' },
      ],
    ],
    outcomes: ['cancelled', 'completed'],
    stride: 3,
  },
];
