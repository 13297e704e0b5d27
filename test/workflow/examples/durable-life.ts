import type { Clock } from '../../../src/engine/clock.ts';
import { sendToWorkflow } from '../../../src/runtime/api/workflow-operations.ts';
import { compose } from '../../../src/runtime/compose.ts';
import type { Core } from '../../../src/runtime/config/core.ts';
import { startWorkflow } from '../../../src/runtime/requests/start-workflow.ts';
import type { Store } from '../../../src/store/store.ts';
import { flowContextOf, flowOutputOf, subRunId } from '../../../src/store/stored-run.ts';
import { step, workflow } from '../../../src/workflow/index.ts';
import { Bench, type Happening, performedBy, type Scenario, type Standing } from './scenario.ts';

const tenant = 1;
export const runId = 'example';

export interface World {
  store: Store;
  clock: Clock & { advance(ms: number): Promise<void> };
  workspace: string;
}

/** A process that drives the chart of a scenario, until it dies at a boundary: before a commit, or right after one. */
export class DurableLife {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #bench = new Bench();
  readonly #point: number;
  #core: Core | null = null;
  #passed = 0;
  #isDead = false;

  constructor(scenario: Scenario, world: World, point = Number.POSITIVE_INFINITY) {
    this.#scenario = scenario;
    this.#world = world;
    this.#point = point;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  async open(): Promise<void> {
    const { store, clock, workspace } = this.#world;
    const { chart, id } = this.#scenario;
    const services = (src: string) =>
      step({
        sideEffect: 'idempotent',
        run: (_: unknown, { signal }) => {
          signal.addEventListener('abort', () => this.#bench.leave(src));
          return this.#bench.work(src);
        },
      });
    this.#core = await compose(
      {
        store,
        clock,
        workspace,
        env: {},
        workflows: [workflow(performedBy(chart, services), { ...(id && { id }) })],
        onError: () => {},
      },
      { store: (own) => this.#mortal(own) },
    );
    await this.#core.runs.resume(tenant, undefined);
  }

  /** What the process was about to write is lost. */
  async die(): Promise<void> {
    this.#isDead = true;
    await this.#core?.close().catch(() => {});
  }

  async close(): Promise<void> {
    await this.#opened.close();
    this.#isDead = true;
  }

  async start(): Promise<void> {
    const { chart, id = chart.id, input = null } = this.#scenario;
    const request = { idempotencyKey: 'start' };
    await startWorkflow(async () => this.#opened, {}, { workflow: id, input, request, runId });
  }

  /** @param key for a second attempt, after a death. */
  async take(happening: Happening, key: string): Promise<void> {
    if ('send' in happening) {
      await sendToWorkflow(this.#opened, { tenant, runId, event: happening.send, key });
    } else if ('wait' in happening) await this.#world.clock.advance(happening.wait);
    else {
      const src = 'done' in happening ? happening.done : happening.fails;
      await this.until(() => this.#bench.pending.includes(src));
      this.#bench.end(src, happening);
    }
  }

  /** Waits until it is so, or the process has died. */
  async until(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
    for (let turn = 0; turn < 2_000; turn++) {
      if (this.#isDead) return false;
      if (await isSo()) return true;
      // What is imported on first use takes longer.
      await new Promise((resolve) => (turn < 200 ? setImmediate(resolve) : setTimeout(resolve, 1)));
    }
    return false;
  }

  /** Null before the run exists, and while its actions are performed. */
  async standing(): Promise<Standing | null> {
    const { store } = this.#world;
    const row = await store.query('loadRun', { tenant, id: runId });
    if (!row) return null;
    const { user, open, end } = flowContextOf(row);
    if (open.some(({ kind, linked }) => kind === 'action' || (kind === 'run' && !linked))) return null;
    const children: Standing['children'] = {};
    for (const { id, n, kind } of open) {
      const child = kind === 'run' ? await store.query('loadRun', { tenant, id: subRunId(runId, n) }) : null;
      if (child?.ended || child?.state === '"(queued)"') return null;
      if (child) children[id] = { value: JSON.parse(child.state), context: flowContextOf(child).user ?? {} };
    }
    const outcome = (flowOutputOf(row) ?? end)?.outcome ?? 'active';
    const output = flowOutputOf(row)?.output ?? undefined;
    return {
      status: outcome === 'failed' ? 'error' : outcome,
      value: JSON.parse(row.state),
      context: user ?? {},
      ...(output !== undefined && { output }),
      children,
      pending: this.#bench.pending,
    };
  }

  get #opened(): Core {
    if (!this.#core) throw new Error('open it first');
    return this.#core;
  }

  #mortal(store: Store): Store {
    const boundary = () => {
      if (!this.#isDead && this.#passed++ < this.#point) return;
      this.#isDead = true;
      throw new Error('the process is dead');
    };
    return {
      commit: async (program) => {
        boundary();
        const value = await store.commit(program);
        boundary();
        return value;
      },
      query: (name, input) =>
        this.#isDead ? Promise.reject(new Error('the process is dead')) : store.query(name, input),
      close: async () => {},
    };
  }
}
