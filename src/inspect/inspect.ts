import type { InspectionEvent, Observer } from 'xstate';
import {
  type ActorEvent,
  type ActorSnapshot,
  type InspectionMessage,
  inspectionVersion,
} from '../protocol/frames.ts';
import { jsonOf, Sender } from './sender.ts';
import type { InspectGateway } from './ticket.ts';

export interface InspectOptions extends InspectGateway {
  /** A name for this program. When it starts again, its actors take the place of those it showed before. Default: a random one. */
  sender?: string;
  /** What is shown of an event and of a context. Default: all of it. */
  sanitizeEvent?(event: ActorEvent): ActorEvent;
  sanitizeContext?(context: unknown): unknown;
  /** Gets the error when the gateway refuses this program, or cannot be reached. Default: a line on stderr. */
  onError?(error: unknown): void;
}

/** Shows actors of XState 5 at a gateway. */
export interface GatewayInspector {
  /** For `createActor(machine, { inspect })`. */
  inspect: Observer<InspectionEvent>;
  /** Ends the connection. The actors stay to be looked at until the gateway forgets them. */
  stop(): void;
}

type ActorRef = InspectionEvent['actorRef'];

/** What an actor has besides its public type. */
interface Inner {
  id?: string;
  sessionId: string;
  logic?: { config?: { id?: string } };
  _parent?: { sessionId: string };
  getSnapshot?(): unknown;
}

/**
 * Shows actors of your own in the inspector of a Detent gateway. Known from `@xstate/inspect`, which was for XState 4; it speaks the
 * messages of its successor, `@statelyai/inspect`.
 *
 * @param options.url the gateway
 * @param options.token with the scope `write`
 * @example
 * ```ts
 * const inspector = inspect({ url: 'http://127.0.0.1:7420', token, sender: 'my-shop' });
 * const actor = createActor(machine, { inspect: inspector.inspect });
 * actor.start();
 * ```
 */
export function inspect(options: InspectOptions): GatewayInspector {
  const { sanitizeEvent = same, sanitizeContext = same, onError = printed } = options;
  const sender = options.sender ?? `program ${Math.random().toString(36).slice(2, 8)}`;
  const connection = new Sender({ ...options, sender, onError });
  /** Actors that were made and have not begun: their first snapshots are not known yet. */
  const made = new Map<ActorRef, () => void>();

  const begin = (actorRef: ActorRef) => {
    const register = made.get(actorRef);
    made.delete(actorRef);
    register?.();
  };

  const snapshotOf = (snapshot: unknown): ActorSnapshot => {
    // Once through JSON: the actor may change its context later, and a snapshot says how it is to be written.
    const plain = JSON.parse(jsonOf(snapshot) ?? 'null') as Partial<ActorSnapshot> | null;
    const { status = 'active', context, ...rest } = plain ?? {};
    return { ...rest, status, context: sanitizeContext(context) } as ActorSnapshot;
  };

  const send = (event: InspectionEvent) => {
    const { actorRef, rootId, type } = event;
    const inner = actorRef as Inner;
    const common = {
      _version: inspectionVersion,
      createdAt: String(Date.now()),
      id: null,
      rootId,
      sessionId: inner.sessionId,
    };
    if (type === '@xstate.actor') {
      made.set(actorRef, () => connection.send(registration(inner, common, snapshotOf)));
      // A child that never gets an event, and an actor that is never started.
      queueMicrotask(() => begin(actorRef));
      return;
    }
    begin(actorRef);
    if (type === '@xstate.event') {
      const source = (event.sourceRef as Inner | undefined)?.sessionId;
      const sourceId = source !== undefined && { sourceId: source };
      connection.send({ type, event: sanitizeEvent({ ...event.event }), ...sourceId, ...common });
    } else if (type === '@xstate.snapshot') {
      const snapshot = snapshotOf(event.snapshot);
      connection.send({ type, event: sanitizeEvent({ ...event.event }), snapshot, ...common });
    }
  };

  return {
    inspect: {
      next(event) {
        try {
          send(event);
        } catch (error) {
          // What is looked at must not break because it is.
          onError(error);
        }
      },
    },
    stop: () => connection.stop(),
  };
}

function registration(
  actor: Inner,
  common: Omit<InspectionMessage & { type: '@xstate.actor' }, 'type' | 'name' | 'definition' | 'snapshot'>,
  snapshotOf: (snapshot: unknown) => ActorSnapshot,
): InspectionMessage {
  const { id, sessionId, logic, _parent } = actor;
  const config = logic?.config;
  const named = id === undefined || id === sessionId ? config?.id : id;
  const name = named ?? sessionId;
  const parent = _parent && { parentId: _parent.sessionId };
  const definition = jsonOf(typeof config === 'object' ? config : { id: name });
  const snapshot = snapshotOf(actor.getSnapshot?.());
  return { type: '@xstate.actor', name, definition, ...parent, snapshot, ...common };
}

function same<T>(value: T): T {
  return value;
}

function printed(error: unknown): void {
  console.error(`detent/inspect: ${error instanceof Error ? error.message : String(error)}`);
}
