import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleCoreFile } from '../../scripts/build/core.ts';
import { createDetent } from '../../src/index.ts';
import { isWorkflowView, type PendingView, type WorkflowRunView } from '../../src/protocol/views.ts';
import { type FakeClock, fakeClock, scriptedModel } from '../../src/testing/index.ts';
import { databaseOf } from '../crash/harness/inspect-rows.ts';
import { Life, unharmed } from '../crash/harness/life.ts';
import { inWorld } from '../crash/harness/matrix.ts';
import { readWork } from '../crash/ledger.ts';
import { inspectWorkflow } from '../crash/workflows/inspect.ts';
import { type WorkflowWorld, workflowSuite } from '../crash/workflows/matrix.ts';
import { startKey, type WorkflowOrder } from '../crash/workflows/order.ts';
import { type Seen, type WorkflowScenario, workflowScenarios } from '../crash/workflows/scenarios.ts';
import { paid, toolsOf, workflowOf } from '../crash/workflows/services.ts';
import { itDeep } from '../support/deep.ts';
import { openNodeSqlite } from '../support/node-sqlite.ts';
import { openQuickJs, refundingApp } from '../support/quickjs.ts';
import { inSizes } from '../support/size.ts';
import { dying, hermesBytes, random } from './apps.ts';
import type * as Whole from './with-workflows.ts';

let bundle: Awaited<ReturnType<typeof bundleCoreFile>>;
let detent: typeof Whole;

beforeAll(async () => {
  bundle = await bundleCoreFile('test/core/with-workflows');
  // Charts of this process hold objects of its own, as those of an app do: a context of its own would refuse them.
  detent = new Function(`${bundle.code}; return detent;`)();
});

/** A process of an app: what it does after its death does not happen. */
class AppLife extends Life<WorkflowOrder> {
  isDead: () => boolean = () => false;

  override boundary(): void {}

  override record(file: string, entry: object): void {
    if (!this.isDead()) super.record(file, entry);
  }
}

interface World extends WorkflowWorld {
  clock: FakeClock;
}

function lifeIn({ workspace, site }: World, { name: scenario }: WorkflowScenario): AppLife {
  mkdirSync(dirname(databaseOf(workspace)), { recursive: true });
  return new AppLife({
    of: 'workflows',
    ...unharmed,
    workspace,
    scenario,
    site: site.url,
    diesAtRest: false,
  });
}

/** What an app and a program on Node give alike. */
const optionsFor = (life: AppLife, scenario: WorkflowScenario, { clock }: World) => ({
  clock,
  model: 'test/model',
  models: {
    test: {
      generate: (request, options) =>
        scriptedModel([scenario.answer(request.messages.at(-1)?.text ?? '', request)]).generate(
          request,
          options,
        ),
    } satisfies Whole.ChatModel,
  },
  tools: { allowed: ['refund_payment', 'note'], define: toolsOf(life, scenario) },
});

function openApp(life: AppLife, scenario: WorkflowScenario, world: World, storage = storageOf(world)) {
  const { clock, ...options } = optionsFor(life, scenario, world);
  return detent.createCore({
    ...options,
    host: { storage, random, clock, report: (error) => life.isDead() || life.errors.push(error) },
    workflows: detent.workflows([workflowOf(life, scenario)]),
  });
}

const storageOf = ({ workspace }: World) => openNodeSqlite(databaseOf(workspace));

type Program = Pick<Whole.Core, 'runs'> & { workflows: Whole.DetentWorkflows | null };

/** Does what people and other systems do, until the workflow has ended. */
async function attend(program: Program, scenario: WorkflowScenario, world: World) {
  const { runs, workflows } = program;
  if (!workflows) throw new Error('it has no workflows');
  const { workflow, input, events = [], answers = {} } = scenario;
  const run = workflows.start(workflow.id, input(world.site.url), { idempotencyKey: startKey });
  const runId = await run.started;
  const decide = async ({ kind, name, callId, runId: below = runId, argumentsHash: hash }: PendingView) => {
    if (kind === 'reconcile') {
      const done = readWork(world.workspace).some((one) => one.name === name && one.what === 'done');
      const result = name === 'refund_payment' ? paid : 'it ran';
      await runs.reconcile(below, callId, done ? { verdict: 'ran', result } : { verdict: 'retry' });
    } else await runs.confirm(below, callId, { verdict: 'approve', hash });
  };
  for (;;) {
    const view = await runs.attach(runId).result;
    if (!isWorkflowView(view)) throw new Error(`${runId} is not a workflow`);
    if (view.endedAt !== undefined) return view;
    const seen = seenIn(world, view);
    const due = events.filter(({ when, event }) => seen.count(event.type) === 0 && when(seen));
    const open = view.workflow.services.map(({ id }) => id);
    const said = Object.entries(answers).filter(
      ([id, { when = () => true }]) => open.includes(id) && when(seen),
    );
    const asked = view.pending.filter(({ kind, name }) => kind === 'reconcile' || name === 'refund_payment');
    for (const { event } of due) await workflows.send(runId, event, { idempotencyKey: event.type });
    for (const [id, { answer }] of said) await workflows.answer(runId, id, answer);
    for (const one of asked) await decide(one);
    if (due.length + said.length + asked.length > 0) continue;
    const [next] = view.workflow.timers;
    if (!next) throw new Error(`${scenario.name} waits for what nobody does: ${JSON.stringify(view)}`);
    await world.clock.advance(Math.max(0, next.dueAt - world.clock.now()));
  }
}

function seenIn({ workspace }: World, { runId, workflow }: WorkflowRunView): Seen {
  const db = new DatabaseSync(databaseOf(workspace), { readOnly: true });
  const rows = db
    .prepare('select e.type from run_events e join runs r on r.pk = e.run_pk where r.id = ?')
    .all(runId);
  db.close();
  return {
    state: JSON.stringify(workflow.state),
    count: (type) => rows.filter((row) => String(row.type).startsWith(type)).length,
  };
}

const inNewWorld = <T>(scenario: WorkflowScenario, work: (world: World) => Promise<T>) =>
  inWorld(workflowSuite, scenario, (world) => work({ ...world, clock: fakeClock() }));

/** What must be alike in an app and on Node. */
const shownOf = ({ status, outcome, output, error, workflow }: WorkflowRunView) => ({
  ...{ status, outcome, output, error },
  ...{ state: workflow.state, context: workflow.context, version: workflow.version },
});

describe('the bundle of the core with workflows', () => {
  it('asks for no module of Node, and has the size that its page says', () => {
    expect(bundle.asked).toEqual([]);
    expect(Buffer.byteLength(bundle.code)).toBeLessThanOrEqual(417 * 1024);
    expect(gzipSync(bundle.code, { level: 9 }).length).toBeLessThanOrEqual(138 * 1024);
  });

  itDeep('is compiled by Hermes', () => {
    expect(hermesBytes(bundle.code)).toBeLessThanOrEqual(480 * 1024);
  });

  it('has what the core alone does not have', async () => {
    const alone = await bundleCoreFile('src/core/index');
    for (const part of ['workflow/host', 'flows/read-flow-view.whole', 'decisions/mailbox.whole']) {
      expect(
        bundle.modules.some((module) => module.includes(part)),
        part,
      ).toBe(true);
      expect(
        alone.modules.some((module) => module.includes(part)),
        part,
      ).toBe(false);
    }
  });

  itDeep('runs an agent, a question, a call and a step of a chart in QuickJS', async () => {
    const app = await openQuickJs(openNodeSqlite(':memory:'), [bundle.code, refundingApp]);
    expect(await app.ask("refundOnce('A7')")).toEqual({
      asked: 'waiting',
      open: 1,
      output: ['it broke', { approved: true }, 'paid', 'A7 :4'],
    });
    expect(await app.ask('[paid, failures]')).toEqual([[5], []]);
    await app.ask('core.close()');
    app.close();
  });
});

describe('a workflow in an app', () => {
  const allOf = ({ usual }: { usual: readonly WorkflowScenario[] }) =>
    inSizes({ usual, deep: workflowScenarios, full: workflowScenarios });
  const byPeople = workflowScenarios.filter(({ asksToPay }) => asksToPay);
  const ofEach = [...new Map(workflowScenarios.map((scenario) => [scenario.workflow, scenario])).values()];

  it.each(allOf({ usual: ofEach }))('ends as on Node: $name', async (scenario) => {
    const onNode = await inNewWorld(scenario, async (world) => {
      const life = lifeIn(world, scenario);
      const { workspace } = world;
      const program = createDetent({
        ...{ workspace, env: {}, workflows: [workflowOf(life, scenario)] },
        ...optionsFor(life, scenario, world),
      });
      const view = await attend(program, scenario, world);
      await program.close();
      // Each has a site of its own.
      return JSON.stringify(shownOf(view)).replaceAll(world.site.url, '');
    });
    const inApp = await inNewWorld(scenario, async (world) => {
      const life = lifeIn(world, scenario);
      const core = openApp(life, scenario, world);
      const view = await attend(core, scenario, world);
      await core.close();
      expect(life.errors).toEqual([]);
      return JSON.stringify(shownOf(view)).replaceAll(world.site.url, '');
    });
    expect(inApp).toEqual(onNode);
  });

  /** What is lost of the commit at which the app dies: all of it, and at larger sizes nothing of it, too. */
  const written = inSizes({ usual: [false], deep: [false, true], full: [false, true] });

  it.each(inSizes({ usual: byPeople, deep: byPeople, full: workflowScenarios }))(
    'goes on after the app was killed at any commit: $name',
    async (scenario) => {
      const every = inSizes({ usual: 2, deep: 1, full: 1 });
      const result = workflowSuite.emptyResult();
      for (const isWritten of written)
        for (let at = 0, isOver = false; !isOver; at += every)
          await inNewWorld(scenario, async (world) => {
            const life = lifeIn(world, scenario);
            const { app, storage } = dying(storageOf(world), { at, isWritten });
            life.isDead = () => app.isDead;
            const first = openApp(life, scenario, world, storage);
            const ended = attend(first, scenario, world);
            ended.catch(() => {});
            await Promise.race([app.died, ended]);
            isOver = !app.isDead;
            await first.close().catch(() => {});
            const next = lifeIn(world, scenario);
            if (app.isDead) next.live('death');
            const core = openApp(next, scenario, world);
            await core.runs.resume();
            await attend(core, scenario, world);
            await core.close();
            const where = `${scenario.name}, commit ${at}, ${isWritten ? 'written' : 'not written'}`;
            const problem = (what: string) => result.problems.push(`${where}: ${what}`);
            for (const error of next.errors) problem(String(error));
            inspectWorkflow(scenario, { ...world, workflow: workflowOf(next, scenario) }, result, problem);
          });
      const { kills, lost, unsafeTwice, left, repeats, problems } = result;
      console.log(
        `workflow in the core, killed at each commit: ${scenario.name}: ${JSON.stringify({ kills, lost, unsafeTwice, left, repeats, problems: problems.length })}`,
      );
      expect(problems).toEqual([]);
      expect(kills * every).toBeGreaterThanOrEqual(10);
    },
  );
});
