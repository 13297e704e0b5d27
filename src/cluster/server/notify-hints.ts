import type { EventBus, Hints, RunSignal } from '../../engine/bus.ts';
import { parseJson } from '../../protocol/json.ts';
import { maxMessageBytes, type Presence } from '../../store/store.ts';
import { isSignal, signalToSend } from '../socket-hints.ts';
import type { ServerSigns } from './server-signs.ts';

/** What is said within this time goes together. */
const gatherMs = 10;

/** How long one that closes waits for a server that may be away: hints may be lost. */
const goodbyeMs = 1_000;

/** To which those listen that drive all runs. */
const callChannel = 'detent_calls';

/** What a process says to another one. */
interface Message {
  /** Look at the rows; or only whether there are tickets, as runs that want a driver have one. */
  look?: true | 'tickets';
  /** Send what this run says `to`. */
  follow?: string;
  /** Send it no longer. */
  leave?: string;
  to?: string;
  signal?: RunSignal;
}

/** Hints by messages through the server, to the channel of each driver. */
export class NotifyHints implements Hints {
  readonly #presence: Presence;
  readonly #signs: ServerSigns;
  readonly #followed = new Map<string, Set<(signal: RunSignal) => void>>();
  /** By channel and run, how to stop sending what the run says. */
  readonly #forwarded = new Map<string, () => void>();
  readonly #attended = new Set<number>();
  readonly #saying = new Set<Promise<void>>();
  #waiting: { to: string; text: string }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #look: () => void = () => {};
  #called: () => void = () => {};
  #bus: EventBus | null = null;
  #isClosed = false;

  constructor(presence: Presence, signs: ServerSigns) {
    this.#presence = presence;
    this.#signs = signs;
    signs.onRead(() => {
      for (const epoch of this.#attended)
        if (!signs.seemAlive(epoch)) {
          this.#attended.delete(epoch);
          this.#look();
        }
    });
  }

  listen(look: () => void, bus: EventBus): void {
    this.#look = look;
    this.#bus = bus;
    this.#hearing();
  }

  send(driver: number): void {
    this.#attended.add(driver);
    this.#say(driver, { look: true });
  }

  attend(driver: number): void {
    this.#attended.add(driver);
  }

  /** Has this driver look at the rows. */
  callSelf(): void {
    this.#look();
  }

  /** Has all that drive all runs look. */
  callOthers(look: true | 'tickets'): void {
    this.#post(callChannel, { look });
  }

  /** From now on this process answers such calls. @param called is told, before the look, of one for which there is no ticket */
  answerCalls(called: () => void): void {
    this.#called = called;
    // Calls may be lost, and with a new connection it listens to them anyway.
    this.#presence.join(callChannel).catch(() => {});
  }

  follow(driver: number, runId: string, on: (signal: RunSignal) => void): () => void {
    const listeners = this.#followed.get(runId) ?? new Set();
    this.#followed.set(runId, listeners.add(on));
    this.#attended.add(driver);
    const to = this.#presence.channel;
    this.#say(driver, { follow: runId, to }, this.#hearing());
    return () => {
      listeners.delete(on);
      if (listeners.size > 0 || this.#followed.get(runId) !== listeners) return;
      this.#followed.delete(runId);
      this.#say(driver, { leave: runId, to });
    };
  }

  /** Sends what waits, as far as that goes at once, and says no more. */
  async close(): Promise<void> {
    const isOver = Promise.withResolvers<void>();
    const late = setTimeout(isOver.resolve, goodbyeMs).unref();
    await Promise.race([this.#sayAll(), isOver.promise]);
    clearTimeout(late);
    this.#isClosed = true;
    for (const stop of this.#forwarded.values()) stop();
  }

  async #sayAll(): Promise<void> {
    while (this.#saying.size > 0) await Promise.all(this.#saying);
    await this.#flush();
  }

  #hearing(): Promise<void> {
    const hearing = this.#presence.hear(
      (text) => this.#hear(parseJson(text)),
      () => {
        this.#called();
        this.#look();
      },
    );
    // Hints may be lost: the rows are looked at all the same.
    return hearing.catch(() => {});
  }

  /** A driver that does not answer any more may have died: that is looked at. */
  #say(driver: number, message: Message, before: Promise<void> = Promise.resolve()): void {
    if (this.#isClosed) return;
    const saying: Promise<void> = before
      .then(() => this.#signs.addressOf(driver))
      .then(
        (to) => (to ? this.#post(to, message) : this.#look()),
        () => {},
      )
      .finally(() => this.#saying.delete(saying));
    this.#saying.add(saying);
  }

  #post(to: string, message: Message): void {
    const text = JSON.stringify(message);
    if (this.#isClosed || Buffer.byteLength(text) > maxMessageBytes) return;
    if (message.look && this.#waiting.some((one) => one.to === to && one.text === text)) return;
    this.#waiting.push({ to, text });
    this.#timer ??= setTimeout(() => void this.#flush(), gatherMs);
  }

  async #flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const messages = this.#waiting.splice(0);
    if (messages.length > 0) await this.#presence.tell(messages).catch(() => {});
  }

  #hear(said: unknown): void {
    if (typeof said !== 'object' || said === null) return;
    const { look, follow, leave, to, signal }: { [K in keyof Message]?: unknown } = said;
    if (look === true) this.#called();
    if (look === true || look === 'tickets') this.#look();
    if (typeof follow === 'string' && typeof to === 'string') this.#forward(follow, to);
    if (typeof leave === 'string' && typeof to === 'string') this.#forwarded.get(`${to} ${leave}`)?.();
    if (!isSignal(signal)) return;
    // Transitions only hint at the log.
    if (signal.seq !== undefined || signal.type === 'transition') this.#look();
    else for (const on of [...(this.#followed.get(signal.runId) ?? [])]) on(signal);
  }

  /** Sends what a run says to a channel, until its end. */
  #forward(runId: string, to: string): void {
    const key = `${to} ${runId}`;
    if (!this.#bus || this.#forwarded.has(key)) return;
    const tell = (signal: RunSignal) => {
      this.#post(to, { signal: signalToSend(signal) });
      if (signal.ended === true) this.#forwarded.get(key)?.();
    };
    for (const signal of this.#bus.soFar(runId)) tell(signal);
    const stop = this.#bus.listen(runId, tell);
    this.#forwarded.set(key, () => {
      stop();
      this.#forwarded.delete(key);
    });
  }
}
