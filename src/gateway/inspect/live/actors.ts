import { hash as digestOf, randomBytes } from 'node:crypto';
import { type Caller, seenUser } from '../../../protocol/access.ts';
import { DetentError } from '../../../protocol/error.ts';
import { type ActorSummary, LiveActor } from './actor.ts';
import { type ReceivedMessage, readMessage } from './message.ts';

/** The owner of actors. A caller that is bound to no user sees the actors of the whole tenant. */
export type ActorOwner = Pick<Caller, 'tenantId' | 'userId' | 'sees'>;

/** The limits of what is kept in memory. */
interface LiveLimits {
  /** Actors of one user. */
  maxActors: number;
  /** Transitions of one actor. */
  maxTransitions: number;
  /** Characters of all actors of one user. */
  maxSize: number;
  /** Characters of all actors of all users. */
  maxTotalSize: number;
}

const mebibyte = 1024 * 1024;

const liveLimits: LiveLimits = {
  maxActors: 100,
  maxTransitions: 2_000,
  maxSize: 8 * mebibyte,
  maxTotalSize: 64 * mebibyte,
};

/** One program that sends. */
export interface Sender {
  /** Takes the text of a frame. */
  take(text: string): void;
  /** The program has disconnected; its actors stay until there are too many. */
  end(): void;
}

/** The actors of one user. */
interface Shelf {
  owner: ActorOwner;
  /** By id; the one that moved last is the last one. */
  actors: Map<string, LiveActor>;
  /** Characters that they take in memory, about. */
  size: number;
  /** Actors that were forgotten because there were too many. */
  dropped: number;
}

/** The actors that programs of users show here: in memory, as many as fit, the oldest dropped first. */
export class LiveActors {
  readonly #limits: LiveLimits;
  readonly #now: () => number;
  readonly #shelves = new Map<string, Shelf>();
  /** By program: the ids of its actors, by the ids that it gives them. */
  readonly #programs = new Map<string, Map<string, string>>();
  /** The programs that are connected, each with its number of connections. */
  readonly #connected = new Map<string, number>();

  constructor(now = Date.now, limits: Partial<LiveLimits> = {}) {
    this.#now = now;
    this.#limits = { ...liveLimits, ...limits };
  }

  /** @param name of the program: when it connects again under its name, it replaces its earlier actors. */
  sender(owner: ActorOwner, name: string | null): Sender {
    const shelfKey = JSON.stringify([owner.tenantId, owner.userId]);
    const program = JSON.stringify([shelfKey, name ?? randomBytes(12).toString('base64url'), name === null]);
    this.#connected.set(program, (this.#connected.get(program) ?? 0) + 1);
    let isHere = true;
    return {
      take: (text) => {
        const message = readMessage(text);
        if (message) this.#take({ owner, shelfKey, program, name }, message);
      },
      end: () => {
        if (!isHere) return;
        isHere = false;
        const left = (this.#connected.get(program) ?? 1) - 1;
        if (left > 0) this.#connected.set(program, left);
        else this.#connected.delete(program);
        if (left === 0 && this.#programs.get(program)?.size === 0) this.#programs.delete(program);
      },
    };
  }

  /** The actors that the owner sees, the one that moved last first. */
  list(owner: ActorOwner): { actors: ActorSummary[]; dropped: number } {
    const shelves = this.#seenBy(owner);
    const actors = shelves.flatMap(({ actors }) => [...actors.values()]);
    return {
      actors: actors.map((actor) => this.#summaryOf(actor)).sort((a, b) => b.updatedAt - a.updatedAt),
      dropped: shelves.reduce((sum, { dropped }) => sum + dropped, 0),
    };
  }

  /** @throws DetentError `NOT_FOUND` for an actor that does not exist, was dropped, or belongs to someone else. */
  get(owner: ActorOwner, actorId: string): { actor: LiveActor; summary: ActorSummary } {
    for (const { actors } of this.#seenBy(owner)) {
      const actor = actors.get(actorId);
      if (actor) return { actor, summary: this.#summaryOf(actor) };
    }
    throw new DetentError(
      'NOT_FOUND',
      `there is no live actor ${JSON.stringify(actorId)}: it never existed, or was dropped for newer ones; inspect.list lists the existing ones`,
    );
  }

  #seenBy(caller: ActorOwner): Shelf[] {
    const user = seenUser(caller);
    return [...this.#shelves.values()].filter(
      ({ owner }) => owner.tenantId === caller.tenantId && (user === null || owner.userId === user),
    );
  }

  #summaryOf(actor: LiveActor): ActorSummary {
    const { program, parentSessionId } = actor;
    const parentActorId =
      parentSessionId === undefined ? undefined : this.#programs.get(program)?.get(parentSessionId);
    return {
      ...actor.summary(this.#connected.has(program)),
      ...(parentActorId !== undefined && { parentActorId }),
    };
  }

  #take(
    {
      owner,
      shelfKey,
      program,
      name,
    }: { owner: ActorOwner; shelfKey: string; program: string; name: string | null },
    message: ReceivedMessage,
  ): void {
    // The snapshot after an event contains everything that the event says.
    if (message.type === '@xstate.event') return;
    const ids = this.#programs.get(program) ?? new Map<string, string>();
    this.#programs.set(program, ids);
    const shelf = this.#shelves.get(shelfKey) ?? { owner, actors: new Map(), size: 0, dropped: 0 };
    this.#shelves.set(shelfKey, shelf);
    const at = this.#now();
    const actorId = ids.get(message.sessionId) ?? actorIdOf(program, message.sessionId);
    const known = shelf.actors.get(actorId);
    shelf.size -= known?.size ?? 0;
    shelf.actors.delete(actorId);
    // Clients drop their oldest messages, so a snapshot may come of an actor that never was registered.
    const actor =
      message.type === '@xstate.actor' || !known
        ? new LiveActor(
            {
              actorId,
              program,
              sender: name,
              at,
              registeredAt: Math.max(at, (known?.registeredAt ?? 0) + 1),
            },
            message,
          )
        : known;
    if (message.type === '@xstate.snapshot' && actor === known) actor.take(message, at);
    ids.set(message.sessionId, actorId);
    shelf.actors.set(actorId, actor);
    if (actor.count > this.#limits.maxTransitions) actor.drop(actor.count - this.#limits.maxTransitions);
    shelf.size += actor.size;
    this.#makeRoom(shelf);
  }

  #makeRoom(shelf: Shelf): void {
    const { maxActors, maxSize, maxTotalSize } = this.#limits;
    while (shelf.actors.size > maxActors || shelf.size > maxSize) if (!this.#forgetSome(shelf)) break;
    const total = () => [...this.#shelves.values()].reduce((sum, { size }) => sum + size, 0);
    while (total() > maxTotalSize) {
      const [largest] = [...this.#shelves.values()].sort((a, b) => b.size - a.size);
      if (!largest || !this.#forgetSome(largest)) break;
    }
  }

  /**
   * Drops the actor that moved longest ago; if there is only one actor, drops the older half of its transitions. False
   * if nothing is left.
   */
  #forgetSome(shelf: Shelf): boolean {
    const [[actorId, actor] = []] = shelf.actors;
    if (actorId === undefined || actor === undefined) return false;
    if (shelf.actors.size === 1 && actor.count > 1) {
      shelf.size -= actor.size;
      actor.drop(Math.ceil(actor.count / 2));
      shelf.size += actor.size;
      return true;
    }
    shelf.size -= actor.size;
    shelf.actors.delete(actorId);
    shelf.dropped++;
    for (const [program, ids] of this.#programs) {
      if (ids.get(actor.sessionId) === actorId) ids.delete(actor.sessionId);
      if (ids.size === 0 && !this.#connected.has(program)) this.#programs.delete(program);
    }
    for (const [key, { actors }] of this.#shelves) if (actors.size === 0) this.#shelves.delete(key);
    return true;
  }
}

/** The same after a restart of the gateway for a program that has a name, so that links to its actors stay right. */
function actorIdOf(program: string, sessionId: string): string {
  const hash = digestOf('sha256', JSON.stringify([program, sessionId]), 'base64url');
  return `actor_${hash.slice(0, 12)}`;
}
