import { afterAll, describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot } from 'xstate';
import digest, { proofread } from '../../examples/workflows/digest.machine.ts';
import onboarding from '../../examples/workflows/onboarding.machine.ts';
import plan from '../../examples/workflows/plan.machine.ts';
import refund from '../../examples/workflows/refund.machine.ts';
import { type WorkflowPathsOptions, workflowPaths } from '../../src/testing/index.ts';
import { type Workflow, workflow } from '../../src/workflow/index.ts';
import { inSizes, isFullSize } from '../support/size.ts';

/** Paths of each example: at full size all of them, in every context. */
const maxPaths = inSizes({ usual: 10, deep: 80, full: 100_000 });

const small = { amount: 12, risk: 'low', why: 'a scratch' };
const verified = { type: 'account.verified', account: 'acc 1' } as const;
const down = { error: { code: 'DOWN', message: 'it is down' } };

interface Example {
  workflow: Workflow;
  options: WorkflowPathsOptions;
}

const examples: Example[] = [
  example(refund, {
    input: { order: 'A-17', complaint: 'broken' },
    samples: {
      assess: [small, { ...small, amount: 120 }, { ...small, risk: 'high' }],
      approve: [{ approved: true }, { approved: false }, { approved: false, reason: 'the box was full' }],
      pay: ['payment 7', down],
      tell: ['told', down],
      takeBack: ['taken back', down],
    },
  }),
  example(plan, {
    input: { goal: 'a door' },
    samples: {
      plan: [
        { code: 'c1', docs: 'd1' },
        { code: 'c2', docs: 'd2' },
      ],
      work: ['w1', 'w2', down],
      verify: [
        { ok: true, missing: '' },
        { ok: false, missing: 'a lock' },
      ],
    },
    // What was written does not decide the way, and the rounds do: without it there are many more paths.
    ...(!isFullSize && { key: ({ context }: AnyMachineSnapshot) => `${context.round} ${context.missing}` }),
  }),
  example(digest, {
    input: { mail: 'http://a/mail', news: 'http://a/news', deliverTo: 'http://a/deliver' },
    samples: {
      read: ['three letters', 'no letter', down],
      write: ['a digest', down],
      proofread: [{ text: 'a fine digest' }, down],
      deliver: [null, down],
    },
  }),
  example(workflow(proofread), {
    input: { text: 'a digset' },
    samples: {
      review: [
        { ok: true, text: 'a digest' },
        { ok: false, text: 'a digest?' },
      ],
    },
  }),
  example(onboarding, {
    input: { name: 'Ada', email: 'ada@example.com' },
    samples: {
      write: ['written', down],
      askProfile: [
        { team: 'engines', newsletter: true },
        { team: 'looms', newsletter: false },
      ],
    },
    events: [verified, { type: 'member.paused' }, { type: 'member.resumed' }],
  }),
];

function example<W extends Workflow>(of: W, options: WorkflowPathsOptions<W['chart']>): Example {
  return { workflow: of as unknown as Workflow, options: options as unknown as WorkflowPathsOptions };
}

const total = { paths: 0, steps: 0, left: 0 };

afterAll(() =>
  console.log(
    `workflow paths of all examples: ${total.paths} paths, ${total.steps} steps, 0 differences; ${total.left} paths left`,
  ),
);

describe('the workflows of the examples, on every path', () => {
  it.each(examples)('$workflow.id does durably what XState does with it', async ({ workflow, options }) => {
    const report = await workflowPaths(workflow, { ...options, maxPaths });
    expect(report.differences).toEqual([]);
    expect(report.transitions.missing).toEqual([]);
    expect(report.isWhole).toBe(true);
    const [counts] = `${report}`.split('\n');
    console.log(`workflow paths: ${counts}; ${report.pathsLeft} paths left`);
    total.paths += report.paths;
    total.steps += report.steps;
    total.left += report.pathsLeft;
  });
});
