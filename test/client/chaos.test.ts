import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Client, ClientEvent } from '../../src/client/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { programFile } from '../support/program.ts';
import { inSizes } from '../support/size.ts';
import { clientOf, logged, type Wire, wireTo } from './support.ts';

const runs = inSizes({ usual: 6, deep: 12, full: 200 });
/** Runs at once. */
const width = inSizes({ usual: 6, deep: 12, full: 20 });
/** How often the gateway is killed at most. */
const kills = inSizes({ usual: 1, deep: 2, full: 25 });

/** A gateway lives longer than a model call takes: a call that dies three times ends its run. */
const lifeMs = inSizes({ usual: 300, deep: 1500, full: 1500 });

/** A gateway in a process that is killed and started again. */
interface Fragile {
  port: number;
  token: string;
  child: ChildProcess;
}

async function startGateway(workspace: string): Promise<Fragile> {
  const child = spawn(process.execPath, [programFile('test/client/chaos-main'), workspace], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) return { ...JSON.parse(line), child };
  throw new Error('the gateway did not start');
}

/** What one watcher saw, and what it rebuilt of the pieces of answers. */
interface Seen {
  events: ClientEvent[];
  resets: number;
  /** Answers whose pieces did not give the final text. */
  broken: string[];
}

async function watchAll(
  events: AsyncIterable<ClientEvent>,
  react: (event: ClientEvent) => void,
): Promise<Seen> {
  const seen: Seen = { events: [], resets: 0, broken: [] };
  const answers = new Map<number, { content: string; reasoning: string }>();
  for await (const event of events) {
    seen.events.push(event);
    if (event.event === 'assistant.reset') {
      seen.resets++;
      answers.delete(event.payload.effectId);
    } else if (event.event === 'assistant.delta' || event.event === 'assistant.reasoning') {
      const { effectId, offset, content } = event.payload;
      const answer = answers.get(effectId) ?? { content: '', reasoning: '' };
      const kind = event.event === 'assistant.delta' ? 'content' : 'reasoning';
      if (offset !== answer[kind].length) seen.broken.push(`offset ${offset} after ${answer[kind].length}`);
      answer[kind] += content;
      answers.set(effectId, answer);
    } else if (event.event === 'assistant.message') {
      const { effectId, content, reasoning } = event.payload;
      const rebuilt = answers.get(effectId);
      if (rebuilt && (rebuilt.content !== content || rebuilt.reasoning !== reasoning))
        seen.broken.push(`${rebuilt.content} is not ${content}`);
    }
    react(event);
  }
  return seen;
}

/** Breaks what can break, until it is stopped. */
async function chaos(
  wire: Wire,
  workspace: string,
  first: Fragile,
  chance: () => number,
  isOver: () => boolean,
) {
  const done = { cuts: 0, kills: 0 };
  let startedAt = Date.now();
  let gateway = first;
  while (!isOver()) {
    await pause(10 + chance() * 60);
    const dice = chance();
    if (dice < (done.kills === 0 ? 0.5 : 0.1) && done.kills < kills && Date.now() - startedAt > lifeMs) {
      gateway.child.kill('SIGKILL');
      done.kills++;
      wire.isDown = true;
      gateway = await startGateway(workspace);
      wire.port = gateway.port;
      wire.isDown = false;
      startedAt = Date.now();
    } else if (dice < 0.6) wire.cutAfterBytes = Math.floor(chance() * 6000);
    else {
      wire.cutAfterBytes = null;
      done.cuts++;
      wire.cut();
    }
  }
  wire.cutAfterBytes = null;
  return { ...done, gateway };
}

describe('a client whose connection breaks at random moments, and whose gateway is killed', () => {
  it(`gets all events of ${runs} runs once, in order and whole`, async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e9);
    const random = fc.sample(fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true }), {
      numRuns: 5000,
      seed,
    });
    let drawn = 0;
    const chance = () => random[drawn++ % random.length] ?? 0;
    const workspace = await temporaryWorkspace();
    const first = await startGateway(workspace);
    const wire = await wireTo(first.port);
    const client: Client = clientOf({ url: wire.url, token: first.token });
    let isOver = false;
    const breaking = chaos(wire, workspace, first, chance, () => isOver);

    const seen = new Map<string, Seen>();
    const decisions: Promise<unknown>[] = [];
    const react = ({ event, runId, payload }: ClientEvent) => {
      if (event === 'tool.confirm_request')
        decisions.push(client.confirm(runId, payload.callId, { verdict: 'approve' }));
    };
    const one = async (i: number) => {
      const prompt = i % 3 === 0 ? `${i}: ask me` : `${i}`;
      const run = client.run(prompt);
      const [all, { runId, status }] = await Promise.all([watchAll(run.events, react), run.result]);
      expect([i, status]).toEqual([i, 'done']);
      seen.set(runId, all);
    };
    const lanes = Array.from({ length: width }, async (_, lane) => {
      for (let i = lane; i < runs; i += width) await one(i);
    });
    await Promise.all(lanes);
    isOver = true;
    const { cuts, kills: killed, gateway } = await breaking;
    expect(await Promise.all(decisions)).toHaveLength(Math.ceil(runs / 3));
    gateway.child.kill('SIGKILL');

    const detent = createDetent({ workspace, env: {}, model: 'test/none' });
    onTestFinished(() => detent.close());
    const made = await detent.runs.list({ limit: 1000 });
    const sums = { events: 0, deltas: 0, resets: 0, duplicates: 0 };
    for (const [runId, { events, resets, broken }] of seen) {
      const inLog = logged(events);
      const keys = new Set(inLog.map((event) => ('seq' in event ? `${event.seq}/${event.index}` : '')));
      sums.events += inLog.length;
      sums.deltas += events.length - inLog.length;
      sums.resets += resets;
      sums.duplicates += inLog.length - keys.size;
      expect(inLog).toEqual(await detent.runs.timeline(runId));
      expect(broken).toEqual([]);
    }
    expect([seen.size, made.length]).toEqual([runs, runs]);
    expect(sums.duplicates).toBe(0);
    console.log(
      `seed ${seed}: ${runs} runs, ${wire.connections} connections, ${cuts} cuts, ${killed} kills, ${JSON.stringify(sums)}`,
    );
  });
});
