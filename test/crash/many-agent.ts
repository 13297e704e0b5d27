import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { type DetentOptions, defineTool, type ModelRequest } from '../../src/index.ts';
import { type ScriptedAnswer, scriptedModel } from '../../src/testing/index.ts';

/** How one of the processes is started. */
export interface ManyOrder {
  workspace: string;
  /** Where the runs are; default: in a file. */
  url?: string;
  /** Tickets tell it of runs. */
  dispatcher?: 'pg-boss';
  /** Its number among all that are started. */
  life: number;
  /** It drives no runs. */
  isGateway?: boolean;
  /** It sends no commands. */
  isSilent?: boolean;
}

/** What a process did or heard, in the order in which the file system has it. */
export type ManyEntry =
  | { what: 'begin' | 'end'; run: string; effect: string; tool: string }
  | { what: 'sent'; id: string; run: string; kind: string }
  | { what: 'acknowledged'; id: string; run: string; kind: string; answer: unknown }
  | { what: 'refused'; id: string; run: string; kind: string; code: string }
  | { what: 'heard'; run: string; seq: number; path: string }
  | { what: 'error'; run: string; code: string };

/** The tools that a plan may name, by its letters. */
export const steps = { l: 'look', n: 'note', p: 'pay', s: 'send' } as const;

const classes = { look: 'readonly', note: 'idempotent', pay: 'unsafe', send: 'unsafe' } as const;

/** The tables of pg-boss are emptied under a process, or are not there: it says so, and goes on by the rows. */
export const isOfTickets = (error: unknown) => /pg-boss/.test(String(error));

/** An agent whose model follows the plan in the prompt, `plan:lps`, and which notes each effect outside of the database. */
export function manyOptions(
  {
    workspace,
    url,
    isGateway = false,
    dispatcher,
  }: Pick<ManyOrder, 'workspace' | 'url' | 'isGateway' | 'dispatcher'>,
  note: (entry: ManyEntry) => void,
): DetentOptions {
  const performing = async <T>(key: string, tool: string, work: () => Promise<T>): Promise<T> => {
    const effect = { run: key.split(':')[0] ?? '', effect: key, tool };
    note({ what: 'begin', ...effect });
    try {
      return await work();
    } finally {
      note({ what: 'end', ...effect });
    }
  };
  const define = Object.values(steps).map((name) =>
    defineTool({
      name,
      description: name,
      parameters: z.looseObject({}) as never,
      sideEffect: classes[name],
      confirm: name === 'send',
      run: (_: unknown, { idempotencyKey }) =>
        performing(idempotencyKey, name, async () => {
          await pause(5 + Math.random() * 30);
          return `${name} done`;
        }),
    }),
  );
  return {
    workspace,
    env: {},
    model: 'test/plan',
    database: url === undefined ? { synchronous: 'NORMAL' } : { url },
    slots: 12,
    drivesRuns: !isGateway,
    ...(dispatcher && { dispatcher }),
    models: {
      test: {
        generate: (request, options) =>
          performing(options.idempotencyKey, 'model', async () => {
            await pause(2 + Math.random() * 20, undefined, { signal: options.signal }).catch(() => {});
            return scriptedModel([answer(request)]).generate(request, options);
          }),
      },
    },
    tools: { allowed: Object.values(steps), define },
    limits: { maxRetries: 3 },
  };
}

/** The next step of the newest plan. */
function answer({ messages }: ModelRequest): ScriptedAnswer {
  const from = messages.findLastIndex(({ role, text }) => role === 'user' && text.includes('plan:'));
  const [, plan = ''] = /plan:(\w*)/.exec(messages[from]?.text ?? '') ?? [];
  const taken = messages.slice(from).filter((message) => message.role === 'assistant').length;
  const step = plan[taken] as keyof typeof steps | undefined;
  if (step === undefined) return { text: 'all done' };
  return { toolCalls: [{ name: steps[step], id: `call_${taken}` }] };
}
