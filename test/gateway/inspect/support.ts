import { createWebSocketReceiver } from '@statelyai/inspect';
import { onTestFinished } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import type { InspectionMessage } from '../../../src/protocol/frames.ts';
import type { Served } from '../support.ts';

/** Asks a gateway for a ticket, and returns the address that it is for. */
export async function ticketUrl(
  { http, url }: Pick<Served, 'http' | 'url'>,
  query: Record<string, string> = {},
  token?: string,
): Promise<string> {
  const path = `/api/v1/inspect/ticket?${new URLSearchParams(query)}`;
  const answer = await http(path, { ...(token !== undefined && { token }) });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return `${url.replace('http', 'ws')}${answer.body.path}`;
}

/** What came, and a way to wait for more of it. */
export class Received {
  readonly messages: InspectionMessage[] = [];
  #seen = () => {};

  readonly take = (message: InspectionMessage): void => {
    this.messages.push(message);
    this.#seen();
  };

  /** Resolves with the first message that fits, also if it came before. */
  async saw(fits: (message: InspectionMessage) => boolean): Promise<InspectionMessage> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.#seen = resolve;
      });
    }
  }

  /** The states of a run, in short. */
  states(runId: string): unknown[] {
    return this.messages.flatMap((message) =>
      message.sessionId === runId && message.type !== '@xstate.event' ? [message.snapshot.value] : [],
    );
  }
}

/** The real receiver of `@statelyai/inspect`, which ends with the gateway. */
export function receiver(server: string): Received {
  const received = new Received();
  createWebSocketReceiver({ server }).subscribe((message) => received.take(message as never));
  return received;
}

/** A plain WebSocket, and the status of an answer that refuses it. */
export async function open(
  url: string,
  options: ClientOptions = {},
): Promise<{
  status: number;
  refusal: string;
  received: Received;
  closed: Promise<{ code: number; reason: string }>;
  socket: WebSocket;
}> {
  const socket = new WebSocket(url, options);
  onTestFinished(() => socket.terminate());
  const received = new Received();
  socket.on('message', (data) => received.take(JSON.parse(String(data))));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.on('open', () => resolve({ status: 101, refusal: '', received, closed, socket }));
    socket.on('unexpected-response', async (_, response) => {
      let refusal = '';
      for await (const part of response) refusal += String(part);
      resolve({ status: response.statusCode ?? 0, refusal, received, closed, socket });
    });
  });
}

/** The address of a place without a ticket. */
export const placeUrl = ({ url }: Pick<Served, 'url'>, path: string) => `${url.replace('http', 'ws')}${path}`;
