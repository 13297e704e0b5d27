import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { noJdk } from '../../../scripts/build-java.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { type Wire, wireTo } from '../../client/support.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { describeWith } from '../../support/needs.ts';
import { programFile } from '../../support/program.ts';
import { inSizes } from '../../support/size.ts';
import { type Message, Phones } from './support.ts';

const runs = inSizes({ usual: 5, deep: 10, full: 200 });
/** Runs of one conversation wait for each other. */
const perSession = 5;
const kills = inSizes({ usual: 1, deep: 3, full: 25 });
const deaths = inSizes({ usual: 1, deep: 2, full: 30 });

/** What the model calls in a run: tools of the gateway, one that asks its user, and two of the app. */
const plans = ['look', 'look pay', 'buy', 'peek look', 'buy peek pay'];

interface Fragile {
  port: number;
  child: ChildProcess;
}

async function startGateway(workspace: string): Promise<Fragile> {
  const main = programFile('test/clients/java/chaos-main');
  const child = spawn(process.execPath, [main, workspace], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) return { ...JSON.parse(line), child };
  throw new Error('the gateway did not start');
}

/** The app of one customer, which is killed and opened again. */
class App {
  readonly #folder: string;
  readonly #url: string;
  readonly ended = new Map<string, string | null | undefined>();
  deaths = 0;
  readonly undecided = new Set<string>();
  #phones: Phones | null = null;

  constructor(folder: string, url: string) {
    this.#folder = folder;
    this.#url = url;
  }

  get log(): string {
    return join(this.#folder, 'log');
  }

  /** Opens it, and says again what has not ended for it. */
  async open(prompts: readonly string[]): Promise<void> {
    const phones = new Phones();
    this.#phones = phones;
    const client = 'phone';
    // All that is broken here breaks with a word. A shorter time only gives up gateways that are slow, on a busy machine.
    const signOfLifeMs = 5000;
    phones.onSaid(({ end, code, undecided, engine }) => {
      if (end !== undefined) this.ended.set(end, code);
      if (!undecided) return;
      // Calls of other runs have the same ids.
      const call = `${undecided.runId}/${undecided.payload.callId}`;
      this.undecided.add(call);
      phones.ask({ do: 'resolve', engine, call, result: 'perhaps' }).catch(() => {});
    });
    const urls = { url: this.#url, tokens: `${this.#url}/token` };
    await phones.ask({ do: 'open', client, folder: this.#folder, exact: true, signOfLifeMs, ...urls });
    for (const [name, sideEffect, ms] of [
      ['buy', 'UNSAFE', 400],
      ['peek', 'READONLY', 50],
    ] as const)
      await phones.ask({ do: 'tool', client, name, sideEffect, ms, log: this.log });
    for (let i = 0; i < prompts.length; i += perSession) {
      const session = `s${i}`;
      await phones.ask({ do: 'engine', client, engine: session, session, approves: true, isQuiet: true });
      for (const prompt of prompts.slice(i, i + perSession))
        if (!this.ended.has(prompt)) await phones.ask({ do: 'run', engine: session, prompt, key: prompt });
    }
  }

  async die(prompts: readonly string[]): Promise<void> {
    this.deaths++;
    this.#phones?.kill();
    await this.open(prompts);
  }

  async close(): Promise<{ ms: unknown; threads: unknown }> {
    const ms = await this.#phones?.ask({ do: 'shutdown', client: 'phone' });
    return { ms, threads: await this.#phones?.ask({ do: 'threads' }) };
  }

  /** How much it has stored of what came. */
  get keptBytes(): number {
    return statSync(join(this.#folder, 'messages'), { throwIfNoEntry: false })?.size ?? 0;
  }

  messages(): Message[] {
    const { length } = JSON.parse(readFileSync(join(this.#folder, 'detent.json'), 'utf8')) as {
      length: number;
    };
    const kept = readFileSync(join(this.#folder, 'messages')).subarray(0, length).toString().trim();
    return kept.split('\n').map((line) => JSON.parse(line) as Message);
  }
}

/** Even numbers below 1. `fc.double` draws most of its own next to 0. See https://github.com/cprosche/mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Breaks what can break, until it is stopped. */
async function chaos(
  wire: Wire,
  workspace: string,
  gateway: Fragile,
  app: App,
  prompts: readonly string[],
  chance: () => number,
  isOver: () => boolean,
): Promise<{ cuts: number; kills: number }> {
  const done = { cuts: 0, kills: 0 };
  let now = gateway;
  let [killedAt, diedAt] = [Date.now(), Date.now()];
  let kept = 0;
  while (!isOver()) {
    await pause(30 + chance() * 100);
    // On a busy machine nothing would get through between two breaks.
    const isStill = app.keptBytes === kept;
    kept = app.keptBytes;
    const dice = isStill ? 1 : chance();
    if (dice < 0.15 && done.kills < kills && Date.now() - killedAt > 1500) {
      now.child.kill('SIGKILL');
      done.kills++;
      wire.isDown = true;
      now = await startGateway(workspace);
      wire.port = now.port;
      wire.isDown = false;
      killedAt = Date.now();
    } else if (dice < 0.35 && app.deaths < deaths && Date.now() - diedAt > 1200) {
      await app.die(prompts);
      diedAt = Date.now();
    } else if (dice < 0.6) wire.cutAfterBytes = Math.floor(chance() * 6000);
    else if (dice < 0.8) {
      wire.cutAfterBytes = null;
      done.cuts++;
      wire.cut();
    } else wire.cutAfterBytes = null;
  }
  now.child.kill('SIGKILL');
  return done;
}

describeWith(noJdk === null, noJdk ?? '')(
  'an app whose network is cut, whose gateway and process are killed, and whose tokens expire',
  () => {
    it(`says ${runs} things once, shows what came of each once, and performs no unsafe tool twice`, async () => {
      const seed = Number(process.env.SEED ?? Date.now() % 1e9);
      const chance = randomOf(seed);
      const workspace = await temporaryWorkspace();
      const folder = await temporaryWorkspace();
      const gateway = await startGateway(workspace);
      const wire = await wireTo(gateway.port);
      const app = new App(folder, wire.url);
      const prompts = Array.from({ length: runs }, (_, i) => `${i}: ${plans[i % plans.length]}`);
      await app.open(prompts);
      let isOver = false;
      const breaking = chaos(wire, workspace, gateway, app, prompts, chance, () => isOver);
      await expect
        .poll(() => app.ended.size, { timeout: inSizes({ usual: 100_000, deep: 500_000, full: 3_000_000 }) })
        .toBe(runs);
      isOver = true;
      const broken = await breaking;
      const closed = await app.close();

      expect([...app.ended.values()].filter((code) => code !== null)).toEqual([]);
      expect(closed.threads).toEqual([]);
      const detent = createDetent({ workspace, env: {}, model: 'test/none' });
      onTestFinished(() => detent.close());
      const made = await detent.runs.list({ limit: 1000 });
      const inOrder = made.toSorted((a, b) => a.createdAt - b.createdAt);
      for (let i = 0; i < runs; i += perSession) {
        const said = inOrder.filter(({ sessionId }) => sessionId === `bob:s${i}`).map(({ prompt }) => prompt);
        expect(said).toEqual(prompts.slice(i, i + perSession));
      }
      expect(made).toHaveLength(runs);
      const shown = Map.groupBy(app.messages(), ({ runId }) => runId);
      let events = 0;
      for (const { runId } of made) {
        const log = await detent.runs.timeline(runId);
        const got = shown.get(runId) ?? [];
        events += got.length;
        const place = ({ event, seq, index }: { event: string; seq: number; index: number }) =>
          `${seq}/${index} ${event}`;
        expect(got.map(place)).toEqual(log.map(place));
        // The app is told less than the log has, in other words of why, and nothing else.
        expect(log).toMatchObject(
          got.map(({ payload: { why, reason, ...payload }, seq, index }) => ({ seq, index, payload })),
        );
      }
      const notes = existsSync(app.log) ? readFileSync(app.log, 'utf8').trim().split('\n') : [];
      const began = notes.flatMap((line) => /^begin (.*) buy$/.exec(line)?.[1] ?? []);
      expect(began).toHaveLength(new Set(began).size);
      // An app that is killed after it kept that a call begins, and before the tool was asked, does not know either.
      expect([...new Set([...began, ...app.undecided])]).toHaveLength(
        prompts.filter((prompt) => prompt.includes('buy')).length,
      );
      console.log(
        `seed ${seed}: ${runs} runs, ${events} events, ${wire.connections} connections, ${broken.cuts} cuts, ${broken.kills} kills of the gateway, ${app.deaths} of the app, ${app.undecided.size} calls undecided; shutdown took ${closed.ms} ms`,
      );
    });
  },
);
