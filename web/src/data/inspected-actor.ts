import { type ReadonlySignal, signal } from '@preact/signals';
import type { Output } from '#src/client/index.ts';
import type { MachineDefinition, MachineLayout, RunTrace } from '#src/protocol/views.ts';
import { whileSeen } from './connection.ts';
import { type FeedReader, type Inspected, inspected } from './inspected.ts';
import { joined, readSeq } from './run-trace.ts';
import { asClientError, ask } from './use-request.ts';

/** An actor of a program of the user, as the list has it. */
export type ActorSummary = Output<'inspect.list'>['actors'][number];

/** The chart of an actor, or why there is none. All of it came from outside. */
interface ActorChart {
  definition: MachineDefinition | null;
  layout: MachineLayout | null;
  refused: string | null;
}

/** An actor under inspection. */
export interface InspectedActor extends Inspected {
  actorId: string;
  actor: ReadonlySignal<ActorSummary | null>;
  /** Null until it is read. */
  chart: ReadonlySignal<ActorChart | null>;
  /** When the actor was registered again while the page was open: what it did before is gone. Milliseconds since the epoch. */
  againAt: ReadonlySignal<number | null>;
}

const pageSize = 1_000;
const pollMs = 1_000;
/** Of an actor that moves for hours the page forgets as the gateway does, a little later. */
const maxTransitions = 6_000;

export function inspectedActor(actorId: string): InspectedActor {
  const actor = signal<ActorSummary | null>(null);
  const chart = signal<ActorChart | null>(null);
  const againAt = signal<number | null>(null);
  const shared = inspected(actorId, (reader) =>
    poll(actorId, reader, {
      registered(isAgain, at) {
        if (isAgain) {
          againAt.value = at;
          shared.show(null);
        }
        void readChart(actorId).then((next) => {
          if (actor.peek()?.registeredAt === at) chart.value = next;
        });
      },
      moved(summary) {
        actor.value = summary;
      },
    }),
  );
  return { actorId, actor, chart, againAt, ...shared };
}

async function readChart(actorId: string): Promise<ActorChart> {
  try {
    const answer = await ask('inspect.get', { actorId, limit: 1 });
    const { definition = null, layout = null, refused = null } = answer;
    return { definition, layout, refused };
  } catch (error) {
    return { definition: null, layout: null, refused: asClientError(error).message };
  }
}

interface ActorReader {
  /** It was registered: for the first time that the page sees, or again. */
  registered(isAgain: boolean, at: number): void;
  moved(summary: ActorSummary): void;
}

/** What was read of an actor, from one registration on. */
interface HeldActor {
  registeredAt: number;
  /** Transitions before the first one that is held. */
  forgotten: number;
  /** Numbered from 1. */
  trace: RunTrace;
}

/** Reads an actor, and again by the clock: nothing tells that it moved. */
function poll(actorId: string, { read, failed }: FeedReader, { registered, moved }: ActorReader): () => void {
  let isStopped = false;
  let isReading = false;
  let held: HeldActor | null = null;
  let registeredAt: number | null = null;

  async function pull(): Promise<void> {
    for (;;) {
      const afterSeq = held === null ? 0 : held.forgotten + readSeq(held.trace);
      const answer = await ask('inspect.get', { actorId, afterSeq, limit: pageSize, withChart: false });
      if (isStopped) return;
      const page: RunTrace = answer.trace;
      const next: HeldActor | null = heldAfter(held, answer.actor, page);
      if (next === null) {
        held = null;
        continue;
      }
      moved(answer.actor);
      if (registeredAt !== next.registeredAt) registered(registeredAt !== null, next.registeredAt);
      registeredAt = next.registeredAt;
      held = next;
      const isWhole = readSeq(next.trace) >= next.trace.lastSeq;
      read(next.trace, isWhole, next.forgotten);
      if (isWhole) return;
    }
  }

  async function refresh(): Promise<void> {
    if (isReading) return;
    isReading = true;
    await pull().catch((reason: unknown) => {
      if (!isStopped) failed(reason);
    });
    isReading = false;
  }

  void refresh();
  const stopPolling = whileSeen(pollMs, refresh);
  return () => {
    isStopped = true;
    stopPolling();
  };
}

/**
 * What is held after an answer; the same trace if nothing changed. Null when the answer does not continue what is held: the actor
 * was registered again, or the gateway forgot transitions that were not read yet. Then it is read from its beginning.
 */
export function heldAfter(
  held: HeldActor | null,
  { registeredAt, dropped, status, isConnected }: ActorSummary,
  page: RunTrace,
): HeldActor | null {
  const isNew = held === null;
  const forgotten = held?.forgotten ?? dropped;
  const next = forgotten + readSeq(held?.trace ?? null) + 1;
  const [first] = page.transitions;
  const continues = first === undefined ? page.lastSeq < next : first.seq === next;
  if (!isNew && (held.registeredAt !== registeredAt || !continues)) return null;
  if (!isNew && held.trace.transitions.length > maxTransitions && dropped > forgotten) return null;
  // Nothing more comes of a program that is not connected: its clock stands still.
  const ended = status !== 'active' || !isConnected;
  if (!isNew && first === undefined && held.trace.ended === ended) return held;
  const trace = joined(held?.trace ?? null, {
    ...page,
    // The lanes of an agent's run are of Detent's own machine alone, whatever the actor is called.
    machine: { ...page.machine, name: `actor ${page.machine.name}` },
    lastSeq: page.lastSeq - forgotten,
    ended,
    transitions: page.transitions.map((one) => ({ ...one, seq: one.seq - forgotten })),
  });
  return { registeredAt, forgotten, trace };
}
