import type { EffectHandler, EffectJob, MachineHost } from '../../../src/engine/machine/machine-host.ts';
import type { Decorators } from '../../../src/runtime/compose.ts';
import type { Program } from '../../../src/store/program.ts';
import type { RunRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { labelPattern, readLedger } from '../ledger.ts';
import type { Life } from './life.ts';

/** Gives each commit and each effect its boundaries. */
export const decoratorsOf = (life: Life): Decorators => ({
  store: (store: Store): Store => ({
    async commit<T>(program: () => Program<T>, key?: string): Promise<T> {
      life.boundary('commit.before');
      let wrote: Transition[] = [];
      const value = await store.commit(function* () {
        wrote = [];
        const result = yield* noting(
          program(),
          wrote,
          () => life.order.isFine && life.boundary('commit.read'),
        );
        life.boundary('commit.inside');
        return result;
      }, key);
      for (const { pk: run, seq } of wrote) life.record('writes.jsonl', { pid: process.pid, run, seq });
      life.boundary('commit.after');
      return value;
    },
    query: (name, input) => store.query(name, input),
    // Without it a process does not look at what others do.
    ...(store.version && { version: () => store.version?.() ?? 0 }),
    close: () => store.close(),
  }),
  host: (host) => withBoundaries(life, host),
  callHost: (host) => withBoundaries(life, host),
  jobHost: (host) => withBoundaries(life, host),
  workflowHost: (host) => withBoundaries(life, host),
});

/** Gives each effect of a host its boundaries. */
export function withBoundaries(life: Life, host: MachineHost): MachineHost {
  const effects = Object.entries(host.effects).map(([name, handler]) => [name, watched(life, name, handler)]);
  return { ...host, effects: Object.fromEntries(effects) };
}

type Transition = Pick<RunRow, 'pk' | 'seq'>;

/** Collects the transitions that a program writes. */
function* noting<T>(program: Program<T>, wrote: Transition[], read: () => void): Program<T> {
  let step = program.next();
  while (!step.done) {
    const [name, input] = step.value;
    const answer = yield step.value;
    if (typeof answer === 'object') read();
    if ((name === 'advanceRun' || name === 'endRun') && Number(answer) > 0) wrote.push(input as Transition);
    if (name === 'insertRun' && (input as Transition).seq > 0)
      wrote.push({ ...(answer as Transition), seq: (input as Transition).seq });
    step = program.next(answer);
  }
  return step.value;
}

function watched(life: Life, name: string, handler: EffectHandler): EffectHandler {
  return {
    ...handler,
    async perform(job) {
      life.boundary(`${name}.before`);
      const effect = { run: job.run.id, effect: job.idempotencyKey };
      life.live('begin', effect);
      const stopWatching = watchWork(life, name, job);
      const fact = await handler.perform(job).finally(stopWatching);
      life.live('end', effect);
      life.boundary(`${name}.after`);
      return fact;
    },
  };
}

/** Work that others do has a boundary in its midst: it has taken effect, and its result is still to come. */
function watchWork(life: Life, name: string, { input }: EffectJob): () => void {
  const [label] = labelPattern.exec(input ?? '') ?? [];
  if (label === undefined) return () => {};
  const timer = setInterval(() => {
    if (!readLedger(life.order.workspace).some(({ key }) => key === label)) return;
    clearInterval(timer);
    life.boundary(`${name}.midst`);
  }, 5);
  return () => clearInterval(timer);
}
