import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import type { DetentOptions } from '../../../src/index.ts';
import type { Scheduler, SchedulerOptions } from '../../../src/schedule/api.ts';
import type { Delivery } from '../../../src/schedule/deliver/delivery.ts';
import type { FireView } from '../../../src/schedule/index.ts';
import { createScheduler } from '../../../src/schedule/scheduler.ts';
import { fakeClock, type ScriptLine } from '../../../src/testing/index.ts';
import { scripted } from '../../support/detent.ts';

export const slot = Date.UTC(2026, 0, 31, 9);

/** A result on its way, as the host of jobs hands it over. */
export function asked(over: Partial<Delivery> = {}): Delivery {
  return {
    id: 'msg_k_3_0',
    target: { kind: 'console' },
    isAlert: false,
    tenant: 1,
    jobId: 'daily',
    n: 3,
    user: null,
    slot,
    endedAt: slot + 1_500,
    kind: 'slot',
    status: 'ok',
    runId: 'run_kf3',
    text: 'All is well.',
    tainted: [],
    error: null,
    failures: 0,
    attempt: 1,
    againMs: () => null,
    isOvertaken: async () => false,
    signal: new AbortController().signal,
    ...over,
  };
}

interface Received {
  headers: IncomingMessage['headers'];
  method: string;
  url: string;
  body: string;
}

/** A receiver of webhooks on loopback. */
export async function receiver(answer: (response: ServerResponse, nth: number) => void) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    response.on('error', () => {});
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { headers, method = '', url = '' } = request;
    received.push({ headers, method, url, body });
    answer(response, received.length);
  });
  server.on('connection', (socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { received, port, close, url: `http://127.0.0.1:${port}/hooks/abc` };
}

export const answering =
  (status: number, headers: Record<string, string> = {}, body = '') =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);

/** A scheduler in this process, on a clock of its own, that may call loopback. */
export async function scheduling(
  script: readonly ScriptLine[],
  options: DetentOptions = {},
  own: SchedulerOptions = {},
) {
  const clock = fakeClock(slot);
  const { detent, workspace, model } = await scripted(script, { clock, ...options });
  const printed: string[] = [];
  const scheduler = createScheduler(detent, {
    now: clock.now,
    timeZone: 'UTC',
    print: (text) => printed.push(text),
    webhooks: { allowHosts: ['127.0.0.1'] },
    ...own,
  });
  onTestFinished(() => scheduler.close());
  return { detent, workspace, model, clock, scheduler, printed };
}

/** A job that runs when it is asked to. */
export const byHand = { cron: '0 0 1 1 *', prompt: 'Report.' } as const;

/** The newest slot, once a condition holds for it. */
export async function slotWhere(
  scheduler: Scheduler,
  jobId: string,
  holds: (fire: FireView) => boolean,
): Promise<FireView> {
  return vi.waitFor(
    async () => {
      const [fire] = await scheduler.history(jobId);
      if (fire && holds(fire)) return fire;
      throw new Error(`not yet: ${JSON.stringify(fire)}`);
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** The slot once none of its deliveries is on its way. */
export const delivered = (scheduler: Scheduler, jobId: string) =>
  slotWhere(
    scheduler,
    jobId,
    ({ deliveries }) => deliveries.length > 0 && deliveries.every(({ status }) => status !== 'pending'),
  );
