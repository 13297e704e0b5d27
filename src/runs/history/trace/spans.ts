import type { FoldedTransition } from '../../../engine/log.ts';
import { foldActions } from '../../../engine/machine.ts';
import { isObject, type JsonObject } from '../../../protocol/json.ts';
import type { TracedSpan, TraceLane } from '../../../protocol/views.ts';
import { callName } from '../../../store/stored-call.ts';
import type { Story } from '../../story/story.ts';
import { waitsIn } from '../../story/waits.ts';

const lanes: Readonly<Record<string, { lane: TraceLane; label: string }>> = {
  'effect.callModel': { lane: 'model', label: 'step' },
  'effect.flush': { lane: 'model', label: 'flush' },
  'effect.compact': { lane: 'model', label: 'summary' },
  'effect.runTool': { lane: 'tools', label: 'tool' },
};

/** Facts that mean failure, although they carry no error. */
const failures = /\.(failed|uncertain|poisoned|tooBig)$/;

/** The events that say so of an effect whose process died. */
const unknowns: ReadonlySet<string> = new Set(['tool.uncertain', 'service.uncertain']);

/** The times in which the effects of a run were at work, and in which it waited for people, as its transitions tell. */
export class Spans {
  all: TracedSpan[] = [];
  #begun = 0;
  /** By the number of the effect. */
  readonly #working = new Map<number, TracedSpan>();
  /** By the number of the call. */
  readonly #asked = new Map<number, TracedSpan>();
  readonly #attempts = new Map<number, number>();
  /** The names of the effects, by number. */
  readonly names = new Map<number, string>();
  /** Effects that another run performs. */
  readonly #linked = new Set<number>();
  readonly #forkedAt: number | null;

  /** @param forkedAt of a fork: the last transition of its original */
  constructor(forkedAt: number | null = null) {
    this.#forkedAt = forkedAt;
  }

  add({ event, host, actions, snapshot }: FoldedTransition, body: JsonObject, calls: Story['open']): void {
    const { effectId } = body;
    // A service that has begun a run goes on until that ends.
    if (typeof effectId === 'number')
      if (event.type === 'service.began') this.#linked.add(effectId);
      else this.#end(this.#working, effectId, event, errorCode(event.type, body));
    const { effects, aborted, rows } = foldActions(host, actions);
    for (const n of aborted) this.#end(this.#working, n, event, 'aborted');
    if (event.type === 'run.resumed' && body.isSameDriver !== true)
      this.#takeOver(event, Number(body.lastAt));
    for (const wait of waitsIn({ ...body, type: event.type }, rows)) {
      this.#end(this.#asked, wait.call, event);
      if (wait.kind === null) continue;
      const { call: effect, kind, step } = wait;
      // Only the question says what a call waits for.
      const { name, asked } = calls.get(effect) ?? {};
      const named = { tool: step ?? name, kind: asked ?? kind };
      this.#begin(this.#asked, { effect, lane: 'people', label: 'call', ...named }, event);
    }
    for (const { n, name, params } of effects) {
      const own = params.id ?? params.name;
      const ownName = typeof own === 'string' ? own : name.replace(/^effect\./, '');
      const known = lanes[name] ?? { lane: 'host' as const, label: ownName };
      this.names.set(n, name);
      const step = name === 'effect.callModel' ? stepAfter(snapshot.context) : undefined;
      const label = step === undefined ? known.label : `${known.label} ${step}`;
      const attempt = typeof params.attempt === 'number' ? params.attempt : undefined;
      this.#end(this.#working, n, event);
      const tool = known.lane === 'tools' ? calls.get(n)?.name : undefined;
      const begun = { effect: n, lane: known.lane, label, tool, ...(step !== undefined && { step }) };
      this.#begin(this.#working, begun, event, attempt);
    }
    if (snapshot.status !== 'active')
      for (const open of [this.#working, this.#asked])
        for (const n of [...open.keys()]) this.#end(open, n, event);
  }

  /** A process died, or left, while these effects were at work: another one performs them again. */
  #takeOver(event: FoldedTransition['event'], lastAt: number): void {
    for (const [effect, span] of [...this.#working]) {
      if (this.#linked.has(effect)) continue;
      // What a fork has open was at work in no process before this.
      if (event.seq === (this.#forkedAt ?? Number.NaN) + 1) {
        span.startedAt = Math.max(span.startedAt, event.at);
        continue;
      }
      this.#end(this.#working, effect, { ...event, at: lastAt }, 'interrupted');
      const { id: _, seq: __, startedAt: ___, endSeq: ____, endedAt: _____, failed: ______, ...same } = span;
      this.#begin(this.#working, { ...same, effect, tool: span.tool }, event, span.attempt + 1);
    }
  }

  /** Those that began or ended with one of these transitions. */
  between(after: number, last: number): TracedSpan[] {
    const isThere = (seq: number | null) => seq !== null && seq > after && seq <= last;
    return this.all.filter(({ seq, endSeq }) => isThere(seq) || isThere(endSeq));
  }

  /** Forgets those that ended before a transition. */
  forgetBefore(seq: number): void {
    if (this.all.some(({ endSeq }) => endSeq !== null && endSeq < seq))
      this.all = this.all.filter(({ endSeq }) => endSeq === null || endSeq >= seq);
  }

  /** How much is remembered, in bytes or so. */
  get bytes(): number {
    return this.all.length * 400 + (this.names.size + this.#attempts.size) * 60;
  }

  #begin(
    open: Map<number, TracedSpan>,
    {
      tool,
      ...begun
    }: Pick<TracedSpan, 'effect' | 'lane' | 'label' | 'step' | 'kind'> & {
      tool: string | undefined;
    },
    { seq, at }: FoldedTransition['event'],
    attempt?: number,
  ): void {
    const { effect, lane } = begun;
    const isCall = lane === 'tools' || lane === 'people';
    const counted = (this.#attempts.get(effect) ?? 0) + (lane === 'people' ? 0 : 1);
    this.#attempts.set(effect, counted);
    const span: TracedSpan = {
      id: ++this.#begun,
      ...begun,
      ...(tool !== undefined && { tool, label: tool }),
      ...(isCall && { callId: callName(effect) }),
      seq,
      startedAt: at,
      endSeq: null,
      endedAt: null,
      attempt: attempt ?? Math.max(1, counted),
    };
    this.all.push(span);
    open.set(effect, span);
  }

  #end(
    open: Map<number, TracedSpan>,
    effect: number,
    { seq, at }: FoldedTransition['event'],
    failed?: string,
  ): void {
    const span = open.get(effect);
    if (!span) return;
    open.delete(effect);
    // The clock may have been set back meanwhile.
    const endedAt = Math.max(span.startedAt, at);
    Object.assign(span, { endSeq: seq, endedAt, ...(failed !== undefined && { failed }) });
    // After a process died, Detent asked whether the call ran: it was not made again.
    if (failed !== undefined && unknowns.has(failed)) span.attempt = Math.max(1, span.attempt - 1);
  }
}

function errorCode(type: string, { error, code }: JsonObject): string | undefined {
  if (isObject(error)) return typeof error.code === 'string' ? error.code : type;
  if (!failures.test(type)) return undefined;
  return typeof code === 'string' ? code : type;
}

function stepAfter(context: unknown): number | undefined {
  const { steps } = context as { steps?: unknown };
  return typeof steps === 'number' ? steps + 1 : undefined;
}
