import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createDetent } from '../../../src/index.ts';
import { step, workflow } from '../../../src/workflow/index.ts';
import { performedBy } from './scenario.ts';
import { xstateExamples } from './xstate-examples.ts';

/** A process that drives an example to its end. It kills itself when the run has made that many transitions, in this process or before. */
const [workspace = '', name = '', killAfter = ''] = process.argv.slice(2);
const scenario = xstateExamples.find((one) => one.name === name);
if (!scenario) throw new Error(`no example "${name}"`);
const { chart, input = null, course } = scenario;
const outputs = new Map(course.flatMap((one) => ('done' in one ? [[one.done, one.output] as const] : [])));
const services = (src: string) =>
  step({
    sideEffect: 'idempotent',
    async run(_: unknown, { idempotencyKey }) {
      await delay(20);
      appendFileSync(join(workspace, 'ledger'), `${src} ${idempotencyKey}\n`);
      return outputs.get(src);
    },
  });
const detent = createDetent({
  workspace,
  env: {},
  workflows: [workflow(performedBy(chart, services))],
});
const run = detent.workflows.start(chart.id, input, { idempotencyKey: 'one' });
await detent.runs.resume();
let moves = 0;
for await (const { type } of run.events)
  if (type === 'transition' && ++moves === Number(killAfter)) process.kill(process.pid, 'SIGKILL');
const {
  status,
  output,
  workflow: shown,
} = (await run.result) as never as Record<string, Record<string, unknown>>;
await detent.close();
process.stdout.write(
  `${JSON.stringify({ status, output, value: shown?.state, context: shown?.context ?? {} })}\n`,
);
