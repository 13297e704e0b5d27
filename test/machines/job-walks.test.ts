import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jobMachine } from '../../machines/job.machine.ts';
import type { JobContext, JobDefinition, JobEvent } from '../../machines/job.types.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';
import { inSizes } from '../support/size.ts';

const walks = inSizes({ usual: 200, deep: 500, full: 5_000 });
const everyMs = 1_000;

const definition = (over: Partial<JobDefinition>): JobDefinition => ({
  schedule: { kind: 'every', everyMs, anchorMs: 0 },
  prompt: 'p',
  agent: null,
  skill: null,
  deliver: [{ kind: 'console' }, { kind: 'webhook', url: 'https://x.example' }],
  misfire: 'once',
  graceMs: 500,
  windowMs: null,
  overlap: 'skip',
  jitterMs: 0,
  pauseAfter: 3,
  alertAfter: 2,
  alert: [{ kind: 'console' }],
  keep: 100,
  limits: null,
  budget: null,
  attempts: 3,
  ...over,
});

/** What the host would have in its rows, its executor and its timers. */
class World {
  readonly #machine = new PureMachine(jobMachine);
  snapshot;
  now = 10_000;
  readonly effects = new Map<number, { name: string; params: Record<string, unknown> }>();
  readonly timers = new Map<string, { event: string; dueAt: number }>();
  readonly fires = new Map<number, { slot: number; kind: string; status: string }>();
  readonly deliveries = new Map<string, string>();
  /** Slots that were needed when the others of their age were deleted. */
  readonly spared: Set<number> = new Set();
  folded: JobContext | null = null;

  constructor(over: Partial<JobDefinition>, carried?: { context: JobContext; now: number; world: World }) {
    const input = {
      definition: definition(over),
      from: this.now,
      ...(carried && { carried: carried.context }),
    };
    if (carried) {
      this.now = carried.now;
      this.fires = carried.world.fires;
      this.deliveries = carried.world.deliveries;
      this.spared = carried.world.spared;
    }
    [this.snapshot] = this.#machine.initialTransition(input);
    this.send({ type: 'job.start' });
  }

  get context(): JobContext {
    return this.snapshot.context as JobContext;
  }

  get path(): string {
    return String(this.snapshot.value);
  }

  send(event: Record<string, unknown> & { type: string }): boolean {
    if (typeof event.effectId === 'number') {
      // What a step that was given up has left, and what came since it began, goes with the next one.
      const given = this.effects.get(event.effectId);
      if (event.type === 'effect.poisoned' && given?.name === 'effect.prune')
        for (const n of this.fires.keys()) this.spared.add(n);
      expect(this.effects.delete(event.effectId), `a fact of an open effect: ${JSON.stringify(event)}`).toBe(
        true,
      );
    }
    const [next, actions] = this.#machine.transition(this.snapshot, { ...event, at: this.now } as JobEvent);
    const moved = next !== this.snapshot || actions.length > 0;
    this.snapshot = next;
    for (const action of actions as { type: string; params: Record<string, unknown> }[])
      this.#perform(action);
    this.check();
    return moved;
  }

  #perform({ type, params = {} }: { type: string; params?: Record<string, unknown> }): void {
    const { n, slot, kind, effectId } = params as Record<string, number> & { kind: string };
    if (type === 'timer.set') {
      const { id, event, delayMs } = params as { id: string; event: string; delayMs: number };
      expect(delayMs).toBeGreaterThanOrEqual(0);
      this.timers.set(id, { event, dueAt: this.now + delayMs });
    } else if (type === 'timer.clear') this.timers.delete(String(params.id));
    else if (type === 'effect.abort') for (const id of params.ids as number[]) this.effects.delete(id);
    else if (type.startsWith('effect.')) {
      expect(this.effects.has(effectId as number)).toBe(false);
      this.effects.set(effectId as number, { name: type, params });
    } else if (type === 'fire.open') {
      this.#noSuchSlot(slot as number, kind);
      this.fires.set(n as number, { slot: slot as number, kind, status: 'waiting' });
    } else if (type === 'fire.begin') this.#change(n as number, 'waiting', 'running');
    else if (type === 'fire.end') this.#change(n as number, 'running', String(params.status));
    else if (type === 'fire.drop')
      for (const one of params.ns as number[]) this.#change(one, 'waiting', `skipped: ${params.reason}`);
    else if (type === 'slots.skip')
      for (const one of params.slots as { n: number; slot: number; reason: string }[]) {
        this.#noSuchSlot(one.slot, 'slot');
        this.fires.set(one.n, { slot: one.slot, kind: 'slot', status: `skipped: ${one.reason}` });
      }
    else if (type === 'delivery.open') {
      expect(this.deliveries.has(key(params))).toBe(false);
      this.deliveries.set(key(params), 'pending');
    } else if (type === 'delivery.reopen') {
      expect(this.deliveries.get(key(params)), 'a delivery that has ended').not.toBe('pending');
      this.deliveries.set(key(params), 'pending');
    } else if (type === 'delivery.end' || type === 'delivery.wait') {
      expect(this.deliveries.get(key(params))).toBe('pending');
      if (type === 'delivery.end') this.deliveries.set(key(params), String(params.status));
    } else if (type === 'job.fold') this.folded = params.context as unknown as JobContext;
  }

  #noSuchSlot(slot: number, kind: string): void {
    if (kind === 'slot')
      for (const fire of this.fires.values())
        if (fire.kind === 'slot') expect(fire.slot, 'a slot is recorded once').not.toBe(slot);
  }

  #change(n: number, from: string, to: string): void {
    const fire = this.fires.get(n);
    expect(fire?.status, `slot number ${n} before "${to}"`).toBe(from);
    if (fire) this.fires.set(n, { ...fire, status: to });
  }

  /** What holds after every transition. */
  check(): void {
    if (this.snapshot.status !== 'active') return;
    const { planning, pruning, firing, waiting, deliveries, next, halt } = this.context;
    const awaited = [
      planning,
      pruning,
      firing?.effectId,
      ...deliveries.map(({ effectId }) => effectId),
    ].filter((id) => typeof id === 'number');
    for (const id of awaited) expect(this.effects.has(id), `effect ${id} is open`).toBe(true);
    const open = [...this.fires].filter(([, { status }]) => status === 'waiting' || status === 'running');
    expect(open.map(([n]) => n).sort()).toEqual(
      [...waiting.map(({ n }) => n), ...(firing ? [firing.n] : [])].sort(),
    );
    if (['scheduled', 'paused', 'disabled'].includes(this.path)) {
      expect(planning).toBeNull();
      expect(firing).toBeNull();
      expect(waiting).toEqual([]);
    }
    const isTimed = this.timers.has('slot');
    if (next !== null && next !== 'none') expect(isTimed || this.path === 'due').toBe(true);
    if (halt) expect(isTimed, 'a halted job has no timer').toBe(false);
    if (this.path === 'scheduled') expect(isTimed).toBe(true);
    if (deliveries.some(({ effectId }) => effectId === null)) expect(this.timers.has('delivery')).toBe(true);
    const pending = [...this.deliveries.values()].filter((status) => status === 'pending').length;
    expect(deliveries.length).toBe(pending);
  }

  /** Answers an effect as the host would. */
  answer(effectId: number, pick: number): void {
    const { name, params } = this.effects.get(effectId) as { name: string; params: Record<string, unknown> };
    if (name === 'effect.plan') {
      const { after, until, revision, missedAs } = params as { after: number; until: number } & Record<
        string,
        unknown
      >;
      const due: number[] = [];
      for (let at = (Math.floor(after / everyMs) + 1) * everyMs; at <= until && due.length < 5; at += everyMs)
        due.push(at);
      const upTo = due.length === 5 ? (due.at(-1) as number) : until;
      const more = upTo < until;
      const late = missedAs === 'paused' ? due : due.slice(0, -1);
      const fire = missedAs === 'paused' || more ? [] : due.slice(-1);
      // A host counts those whose rows would be deleted at once.
      const counted = more && pick % 2 === 0 ? Math.max(0, due.length - this.context.definition.keep) : 0;
      const skipped = (more ? due : late).slice(counted).map((slot) => ({ slot, reason: missedAs }));
      const next = more ? null : (Math.floor(until / everyMs) + 1) * everyMs;
      const found = {
        revision,
        upTo,
        fire,
        skipped,
        counted,
        next: next === null ? null : { slot: next, at: next },
        more,
      };
      if (pick % 40 === 39) this.send({ type: 'slots.failed', effectId, error: { code: 'X', message: 'x' } });
      else this.send({ type: 'slots.found', effectId, ...found });
    } else if (name === 'effect.fire') {
      if (this.context.firing?.runId === null && pick % 3 > 0)
        this.send({ type: 'fire.started', n: params.n, runId: `r${params.n}` });
      else {
        const status = (['ok', 'failed', 'cancelled'] as const)[pick % 3];
        this.send({ type: 'fire.ended', effectId, runId: null, status, error: null });
      }
    } else if (name === 'effect.prune') {
      const { upTo, spare } = params as { upTo: number; spare: number | null };
      this.spared.clear();
      for (const [n, { status }] of this.fires) {
        const isNeeded = n === spare || ['waiting', 'running'].includes(status) || this.#isDelivering(n);
        if (n <= upTo && isNeeded) this.spared.add(n);
        else if (n <= upTo) this.fires.delete(n);
      }
      this.send({ type: 'slots.pruned', effectId });
    } else if (name === 'effect.stop') this.send({ type: 'fire.stopped', effectId });
    else if (pick % 2 === 0) this.send({ type: 'delivery.done', effectId });
    else {
      const delayMs = pick % 5 === 0 ? null : 700;
      this.send({ type: 'delivery.failed', effectId, error: { code: 'X', message: 'x' }, delayMs });
    }
  }

  /** One of its deliveries, on its way or not. */
  delivery(pick: number): object {
    const all = [...this.deliveries.keys()];
    const [n, target, isAlert] = (all[pick % Math.max(1, all.length)] ?? '1/0/false').split('/');
    return { n: Number(n), target: Number(target), isAlert: isAlert === 'true' };
  }

  #isDelivering(n: number): boolean {
    return [...this.deliveries].some(([id, status]) => id.startsWith(`${n}/`) && status === 'pending');
  }

  fireTimer(id: string): void {
    const timer = this.timers.get(id);
    if (!timer) return;
    this.now = Math.max(this.now, timer.dueAt);
    this.timers.delete(id);
    expect(this.send({ type: timer.event }), `timer ${id} in ${this.path}`).toBe(true);
  }
}

function key({ n, target, isAlert }: Record<string, unknown>): string {
  return `${n}/${target}/${isAlert}`;
}

const step = fc.record({
  kind: fc.constantFrom('answer', 'answer', 'answer', 'timer', 'timer', 'command', 'poison'),
  pick: fc.nat(1_000),
  waitMs: fc.constantFrom(0, 0, 0, 300, 3_500, 12_000),
});

describe('the job machine on random walks', () => {
  it('has each slot once, each effect awaited, and a way on from each state', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(
        fc.constantFrom('skip', 'queue', 'cancel-previous' as const),
        fc.array(step, { minLength: 5, maxLength: 150 }),
        fc.constantFrom(3, 30, 100),
        (overlap, steps, keep) => {
          const over = { overlap: overlap as JobDefinition['overlap'], keep };
          let world = new World(over);
          for (const { kind, pick, waitMs } of steps) {
            if (world.folded) world = new World(over, { context: world.folded, now: world.now, world });
            if (world.snapshot.status !== 'active') break;
            world.now += waitMs;
            seen.set(world.path, (seen.get(world.path) ?? 0) + 1);
            const open = [...world.effects.keys()];
            const effect = open[pick % Math.max(1, open.length)];
            if (kind === 'answer' && effect !== undefined) world.answer(effect, pick);
            else if (kind === 'poison' && effect !== undefined && pick % 10 === 0)
              world.send({ type: 'effect.poisoned', effectId: effect });
            else if (kind === 'timer') {
              const soonest = [...world.timers].sort((a, b) => a[1].dueAt - b[1].dueAt)[0];
              if (soonest) world.fireTimer(soonest[0]);
            } else if (kind === 'command') {
              const type = [
                'job.run',
                'job.pause',
                'job.disable',
                'job.resume',
                'job.enable',
                'job.update',
                'job.run',
                'job.remove',
                'job.redeliver',
              ][pick % 9] as string;
              if (type === 'job.remove' && pick % 5 > 0) continue;
              world.send({ type, reason: 'r', definition: definition(over), ...world.delivery(pick) });
            }
          }
          // Left alone, it comes to rest or goes on: nothing hangs.
          for (let i = 0; i < 60 && world.snapshot.status === 'active' && !world.folded; i++) {
            const [effect] = world.effects.keys();
            if (effect !== undefined) world.answer(effect, 0);
            else if (world.timers.size > 0)
              world.fireTimer([...world.timers].sort((a, b) => a[1].dueAt - b[1].dueAt)[0]?.[0] as string);
            else break;
          }
          // What is not kept is deleted, but for what was still needed.
          const isAtRest =
            ['scheduled', 'paused', 'disabled'].includes(world.path) && world.effects.size === 0;
          const last = world.context.count - keep - Math.min(20, keep / 10);
          if (isAtRest && world.context.turns < 100)
            expect([...world.fires.keys()].filter((n) => n <= last && !world.spared.has(n))).toEqual([]);
          if (world.snapshot.status === 'active' && world.effects.size === 0 && world.timers.size === 0)
            expect(['paused', 'disabled']).toContain(world.path);
        },
      ),
      { numRuns: walks },
    );
    for (const path of ['due', 'scheduled', 'starting', 'running', 'delivering', 'paused', 'disabled'])
      expect(seen.get(path) ?? 0, path).toBeGreaterThan(0);
  });
});
