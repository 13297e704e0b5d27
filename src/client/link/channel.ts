import type { Connected, EventFrame, FeedFrame, NoticeFrame, ResponseFrame } from '../../protocol/frames.ts';
import { ClientError } from '../error.ts';
import type { ClientEvent } from './event-order.ts';
import type { KeptSends } from './kept-sends.ts';
import { Link, type LinkListener, type LinkParts } from './link.ts';
import { Outbox } from './outbox.ts';
import { Watches } from './watches.ts';

interface ChannelParts extends LinkParts {
  maxQueued: number;
  kept: KeptSends;
  /** The program's options: its listener is asked for each time. */
  options: { onState?(state: Link['state'], error: ClientError | null): void };
}

/** All that goes between a client and its gateway: the link, requests and what is watched. */
export class Channel implements LinkListener {
  readonly link: Link;
  readonly outbox: Outbox;
  readonly watches: Watches;
  /** Withdraws the starts that an earlier life of the program left. */
  readonly restored = new AbortController();
  readonly #kept: KeptSends;
  readonly #options: ChannelParts['options'];

  constructor({ maxQueued, kept, options, ...parts }: ChannelParts) {
    this.#kept = kept;
    this.#options = options;
    this.link = new Link(parts, this);
    this.outbox = new Outbox(this.link, maxQueued);
    this.watches = new Watches(this.link, this.outbox);
  }

  get isNeeded(): boolean {
    return this.outbox.size > 0 || this.watches.size > 0;
  }

  opened(hello: Connected): void {
    if (!this.#kept.identify(hello)) this.restored.abort(otherUser());
    this.watches.opened();
    this.outbox.pump();
  }

  received(frame: ResponseFrame | EventFrame | NoticeFrame | FeedFrame): void {
    if (frame.type === 'response') this.outbox.received(frame);
    else if (frame.event === 'subscription.ended')
      this.watches.ended(frame.runId, (frame as NoticeFrame).payload.error);
    else if (frame.event === 'run.moved') this.watches.received(frame.payload);
    else if (frame.runId !== undefined) {
      const { type: _, ...event } = frame;
      this.watches.received(event as ClientEvent);
    }
  }

  ping(): void {
    this.outbox.ask('ping', {}).catch(() => {});
  }

  lost(): void {
    this.outbox.lost();
    this.watches.lost();
  }

  stopped(error: ClientError): void {
    this.outbox.end(error);
    this.watches.end(error);
  }

  changed(): void {
    this.#options.onState?.(this.link.state, this.link.error);
  }

  /** Connects now, also after it was stopped. */
  connect(): void {
    if (this.link.state === 'closed') return;
    this.outbox.reopen();
    this.watches.reopen();
    this.link.retry();
  }

  close(): void {
    this.link.close();
    this.stopped(new ClientError('CLOSED', 'the client was closed'));
  }
}

function otherUser(): ClientError {
  return new ClientError('OTHER_USER', 'the run was for another user');
}
