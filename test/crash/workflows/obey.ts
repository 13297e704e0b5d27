import { setTimeout as pause } from 'node:timers/promises';
import { type Detent, DetentError, type PendingView } from '../../../src/index.ts';
import { assemble } from '../../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { decoratorsOf } from '../harness/boundaries.ts';
import { Life } from '../harness/life.ts';
import { openRows, type Rows } from '../harness/rows.ts';
import { readWork } from '../ledger.ts';
import { startKey, type WorkflowOrder } from './order.ts';
import { type Seen, type WorkflowScenario, workflowScenarios } from './scenarios.ts';
import { paid, toolsOf, workflowOf } from './services.ts';

type WorkflowLife = Life<WorkflowOrder>;

/** One life of a scenario of workflows: starts the workflow, or takes it over, and does what people and other systems do. */
export function obeyWorkflowOrder(order: WorkflowOrder): Promise<string[]> {
  const life = new Life(order);
  const scenario = workflowScenarios.find(({ name }) => name === order.scenario) as WorkflowScenario;
  const detent = open(life, scenario);
  return life.lead(detent, async () => {
    await detent.runs.resume();
    const { workflow, input } = scenario;
    const run = detent.workflows.start(workflow.id, input(order.site), { idempotencyKey: startKey });
    const runId = await run.started;
    if (order.diesAtRest) {
      await run.result;
      process.kill(process.pid, 'SIGKILL');
    }
    await new Outside(life, scenario, detent, runId).attend();
  });
}

function open(life: WorkflowLife, scenario: WorkflowScenario): Detent {
  const { workspace, url } = life.order;
  return assemble(
    {
      workspace,
      ...(url && { database: { url } }),
      env: {},
      model: 'test/model',
      models: {
        test: {
          async generate(request, options) {
            await pause(5, undefined, { signal: options.signal }).catch(() => {});
            const asked = request.messages.at(-1)?.text ?? '';
            return scriptedModel([scenario.answer(asked, request)]).generate(request, options);
          },
        },
      },
      workflows: [workflowOf(life, scenario)],
      tools: { allowed: ['refund_payment', 'note'], define: toolsOf(life, scenario) },
      onError: life.onError,
    },
    decoratorsOf(life),
  );
}

/** The people and the other systems of a scenario. */
class Outside {
  readonly #life: WorkflowLife;
  readonly #scenario: WorkflowScenario;
  readonly #detent: Detent;
  readonly #runId: string;
  readonly #rows: Rows;

  constructor(life: WorkflowLife, scenario: WorkflowScenario, detent: Detent, runId: string) {
    this.#life = life;
    this.#scenario = scenario;
    this.#detent = detent;
    this.#runId = runId;
    this.#rows = openRows(life.order);
  }

  /** Does what is to be done until all runs have ended, and no command is on its way. */
  async attend(): Promise<void> {
    const open =
      'select id from runs where ended = 0 union all select kind as id from commands where done_at is null';
    try {
      while ((await this.#rows.all(open)).length > 0) {
        await this.#send();
        await this.#answer();
        await this.#decide();
        await pause(10);
      }
    } finally {
      await this.#rows.close();
    }
  }

  async #seen(): Promise<Seen> {
    const [run] = await this.#rows.all('select state from runs where id = ?', this.#runId);
    const events = await this.#rows.all(
      'select type from run_events e join runs r on r.pk = e.run_pk where r.id = ?',
      this.#runId,
    );
    const count = (type: string) => events.filter((event) => String(event.type).startsWith(type)).length;
    return { state: String(run?.state), count };
  }

  async #send(): Promise<void> {
    for (const { when, event } of this.#scenario.events ?? [])
      if (when(await this.#seen()))
        await late(this.#detent.workflows.send(this.#runId, event, { idempotencyKey: event.type }));
  }

  async #answer(): Promise<void> {
    for (const [id, { when = () => true, answer }] of Object.entries(this.#scenario.answers ?? {}))
      if (when(await this.#seen())) await late(this.#detent.workflows.answer(this.#runId, id, answer));
  }

  /** Approves calls of tools, and says what became of what a dead process was at. */
  async #decide(): Promise<void> {
    const waiting = await this.#rows.all(
      `select distinct r.id from confirmations c join runs r on r.pk = c.run_pk
       where c.status = 'open' and (c.kind = 'reconcile' or c.body like '%refund_payment%')`,
    );
    const ids = waiting.map(({ id }) => String(id));
    for (const id of ids)
      for (const call of (await this.#detent.runs.show(id)).pending) await late(this.#say(id, call));
  }

  async #say(shownIn: string, call: PendingView): Promise<unknown> {
    const { name, callId, kind, argumentsHash: hash, runId = shownIn } = call;
    const { runs } = this.#detent;
    if (kind === 'confirm') return runs.confirm(runId, callId, { verdict: 'approve', hash });
    if (kind !== 'reconcile') return undefined;
    this.#life.record('asked.jsonl', { runId, callId, kind });
    const isDone = readWork(this.#life.order.workspace).some(
      (one) => one.name === name && one.what === 'done',
    );
    const result = name === 'refund_payment' ? paid : 'it ran';
    return runs.reconcile(runId, callId, isDone ? { verdict: 'ran', result } : { verdict: 'retry' });
  }
}

/** Another process, or the workflow itself, may have been faster. */
async function late(said: Promise<unknown>): Promise<void> {
  try {
    await said;
  } catch (error) {
    const isLate =
      DetentError.is(error) && ['NOT_WAITING', 'NOT_FOUND', 'RUN_ENDED', 'FENCED'].includes(error.code);
    if (!isLate) throw error;
  }
}
