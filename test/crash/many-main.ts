import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type Detent, DetentError } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { isOfTickets, type ManyEntry, type ManyOrder, manyOptions } from './many-agent.ts';

/**
 * One of several processes on one database: it drives what it takes, starts the runs that its input names, and sends
 * commands at random to runs of whichever process. `many-main.ts ORDER`.
 */
const order = JSON.parse(process.argv[2] ?? '{}') as ManyOrder;
const file = join(order.workspace, 'happened.jsonl');
const note = (entry: ManyEntry) =>
  appendFileSync(file, `${JSON.stringify({ ...entry, life: order.life, at: Date.now() })}\n`);
const detent = createDetent({
  ...manyOptions(order, note),
  onError: (error, run) => isOfTickets(error) || note({ what: 'error', run, code: String(error) }),
});
const listened = new Set<string>();
let commands = 0;
let isEnding = false;

function listen(run: string): void {
  if (listened.has(run)) return;
  listened.add(run);
  detent.on(run, ({ type, seq, path }) => {
    if (type === 'transition') note({ what: 'heard', run, seq: Number(seq), path: String(path) });
  });
}

/** Sends a command, and notes it before it is sent and when it is acknowledged. */
async function command(kind: string, run: string, send: (id: string) => Promise<unknown>): Promise<void> {
  const id = `${order.life}-${++commands}`;
  note({ what: 'sent', id, run, kind });
  try {
    note({ what: 'acknowledged', id, run, kind, answer: await send(id) });
  } catch (error) {
    note({ what: 'refused', id, run, kind, code: DetentError.is(error) ? error.code : String(error) });
  }
}

async function start(session: string, name: string, plan: string): Promise<void> {
  await command('start', name, async () => {
    const run = await detent.run(`${name} plan:${plan}`, { sessionId: session }).started;
    listen(run);
    return run;
  });
}

/** Decides on what a run asks, as people do who see it at some other place. */
async function decide(detent: Detent, run: string): Promise<void> {
  const { pending } = await detent.runs.show(run);
  for (const { callId, kind, argumentsHash: hash } of pending)
    await command(kind, run, (by) =>
      kind === 'reconcile'
        ? detent.runs.reconcile(run, callId, { verdict: 'skip', by })
        : detent.runs.confirm(run, callId, { verdict: 'approve', hash, by }),
    );
}

const unfinished = ['queued', 'running', 'waiting', 'interrupted'] as const;

let open: Awaited<ReturnType<Detent['runs']['list']>> = [];

/** To list all of them for each command is most of what the processes do. */
async function listOpen(): Promise<void> {
  while (!isEnding) {
    open = await detent.runs.list({ status: unfinished, limit: 500 });
    await pause(200);
  }
}

async function commandAtRandom(): Promise<void> {
  const one = open[Math.floor(Math.random() * open.length)];
  if (!one) return;
  const run = one.runId;
  listen(run);
  const chance = Math.random();
  if (chance < 0.5) await decide(detent, run);
  else if (chance < 0.6) await command('steer', run, (id) => detent.runs.steer(run, `steer ${id} .`));
  else if (chance < 0.63) await command('cancel', run, (id) => detent.runs.cancel(run, `cancel ${id} .`));
}

async function commandOn(): Promise<void> {
  while (!isEnding) {
    await pause(5 + Math.random() * 30);
    // Two at once are sometimes one after the other in another process.
    await Promise.all([commandAtRandom(), Math.random() < 0.3 ? commandAtRandom() : null]);
  }
}

await detent.runs.resume();
process.stdout.write('ready\n');
const commanding = order.isSilent ? null : Promise.all([listOpen(), commandOn()]);
for await (const line of createInterface({ input: process.stdin })) {
  const [session = '', name = '', plan = ''] = line.split(' ');
  void start(session, name, plan);
}
isEnding = true;
await commanding;
await detent.close();
