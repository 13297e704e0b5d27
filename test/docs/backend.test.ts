import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectFrames } from '../gateway/support.ts';
import { describeWith } from '../support/needs.ts';
import { inSizes } from '../support/size.ts';
import { startExample } from './example-server.ts';
import { blocksOf, root } from './markdown.ts';

const guide = 'docs/backend.md';
const servers = ['express', 'fastify', 'hono', 'node'];
/** Those that the phone is tried with: every day the one that the guide writes first. */
const phoned = inSizes({ usual: ['fastify'], deep: servers.slice(0, 2), full: servers });

describe.each(servers)('the shop of the examples in %s', (name) => {
  it('serves its own pages, and each shop runs that customers start and managers approve', async () => {
    const { url, end } = await startExample(name);
    const site = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${url}${path}`, init);
      return [response.status, await response.text()];
    };
    const headers = { 'content-type': 'application/json' };
    const logIn = (user: string, password: string) =>
      site('/login', { method: 'POST', headers, body: JSON.stringify({ user, password }) });
    expect(await site('/')).toEqual([200, 'The shop.']);
    expect((await site('/nothing'))[0]).toBe(404);
    expect(await logIn('ada', 'guessed')).toEqual([401, 'wrong name or password']);
    for (const body of ['{"user":"nobody"}', '{"user":1}', '{}', '[]'])
      expect([body, (await site('/login', { method: 'POST', headers, body }))[0]]).toEqual([body, 401]);
    expect(await site('/login', { method: 'POST' })).toEqual([401, 'wrong name or password']);

    const [[, ada], [, bob], [, eve], [, dan]] = await Promise.all([
      logIn('ada', 'lovelace'),
      logIn('bob', 'builder'),
      logIn('eve', 'polastri'),
      logIn('dan', 'copperfield'),
    ]);
    const as = async (token: unknown, path: string, body?: object, more = {}) => {
      const response = await fetch(`${url}/agent/api/v1${path}`, {
        headers: { authorization: `Bearer ${token}`, ...(body && headers), ...more },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    /** Starts a run that asks to pay an order back, as often as it is asked to. */
    const start = (token: unknown, order: string) =>
      as(token, '/runs', { prompt: `Please pay back order ${order}.` }, { 'idempotency-key': order });
    const approve = { verdict: 'approve' };
    // Both shops at once, of which neither was there before.
    const shops = [
      { manager: ada, customer: bob, stranger: eve, name: 'bob', order: 'A-17' },
      { manager: eve, customer: dan, stranger: ada, name: 'dan', order: 'B-2' },
    ];
    const began = await Promise.all(shops.map(({ customer, order }) => start(customer, order)));
    for (const [i, { manager, customer, stranger, name, order }] of shops.entries()) {
      const { status, body } = began[i] ?? {};
      expect(status).toBe(202);
      const run = `/runs/${body?.runId}`;
      expect((await as(customer, `${run}/wait`)).body).toMatchObject({
        status: 'waiting',
        pending: [{ callId: 'c2' }],
      });
      expect((await as(customer, `${run}/confirmations/c2`, approve)).status).toBe(403);
      expect((await as(stranger, `${run}/confirmations/c2`, approve)).status).toBe(404);
      for (const forged of ['forged.token', `${customer}.x`, `${customer}x`])
        expect((await as(forged, run)).status).toBe(401);
      expect((await as(manager, '/runs')).body.runs).toMatchObject([{ runId: body?.runId }]);
      expect((await as(manager, `${run}/confirmations/c2`, approve)).body).toMatchObject({ applied: true });

      const client = await connectFrames(`${url}/agent`, String(customer));
      await client.ask('run.subscribe', { runId: body?.runId });
      const over = await client.saw(({ event }) => event === 'lifecycle.end');
      expect(over.payload).toMatchObject({ content: `I am done: order ${order} is paid back to ${name}.` });
      expect((await start(customer, order)).body).toEqual(body);
    }
    const own = await start(ada, 'A-18');
    expect((await as(ada, `/runs/${own.body.runId}/wait`)).body).toMatchObject({ status: 'waiting' });
    const refused = await as(ada, `/runs/${own.body.runId}/confirmations/c2`, approve);
    expect(refused).toMatchObject({ status: 403, body: { code: 'OWN_REQUEST' } });
    expect(await end()).toBe(0);
  });
});

describe('the files of the guide', () => {
  const shown = blocksOf(guide, 'typescript').map(({ text }) => text);

  it.each(['shop', 'fastify', 'express'])('has examples/backend/%s.ts', (name) => {
    expect(shown).toContain(readFileSync(join(root, `examples/backend/${name}.ts`), 'utf8'));
  });
});

const hasCurl = /^curl (?:7\.(?:8[2-9]|9\d)|[89]|\d\d)/.test(
  spawnSync('curl', ['--version']).stdout?.toString() ?? '',
);

describeWith(
  hasCurl,
  'there is no curl 7.82 or newer here',
  true,
)('the phone of the guide', () => {
  const played: [document: string, server: string][] = phoned.map((name) => [guide, name]);
  played.push(['docs/phones.md', 'fastify']);
  it.each(played)('sees what %s shows, of the server in %s', async (document, name) => {
    const { url } = await startExample(name);
    const phone = new Phone(url);
    const steps = blocksOf(document, 'shellsession').flatMap(({ text }) => stepsOf(text));
    expect(steps.length).toBeGreaterThan(10);
    for (const { command, shown } of steps) {
      const isCutOff = shown.at(-1) === '^C';
      const wanted = isCutOff ? shown.slice(0, -1) : shown;
      expect(await phone.type(command, wanted, isCutOff)).toMatch(phone.patternOf(wanted));
    }
  });
});

interface Step {
  command: string;
  shown: string[];
}

function stepsOf(text: string): Step[] {
  const [, ...parts] = `\n${text.trimEnd()}`.split('\n$ ');
  return parts.map((part) => {
    const [command = '', ...shown] = part.split('\n');
    return { command, shown };
  });
}

const anyId = /\b(?:run|ses)_[0-9a-z]{16}\b/g;

/** Types commands into shells that share their variables, with the ids that came instead of those shown. */
class Phone {
  readonly #url: string;
  readonly #variables: Record<string, string> = {};
  readonly #ids = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Resolves with what came; of a command that is cut off, when all that is shown has come. */
  async type(command: string, shown: readonly string[], isCutOff: boolean): Promise<string> {
    const typed = this.#here(command).replaceAll('http://localhost:3000', this.#url);
    const names = [...typed.matchAll(/(?:^| )([A-Z]+)=/g)].map(([, name = '']) => name);
    const script = names.length > 0 && !typed.startsWith('curl');
    const told = names.map((name) => `; printf '%s\\n' "$${name}"`).join('');
    const child = spawn('bash', ['-c', script ? typed + told : `exec ${typed}`], {
      env: { PATH: process.env.PATH, ...this.#variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      said += text;
      if (!isCutOff) continue;
      this.#learn(shown, said);
      if (this.patternOf(shown).test(said)) child.kill();
    }
    if (script) {
      const values = said.trimEnd().split('\n');
      for (const [i, name] of names.entries()) this.#variables[name] = values[i] ?? '';
      return '';
    }
    this.#learn(shown, said);
    return said;
  }

  /** `…` stands for anything within a line, and a line of its own for any lines. */
  patternOf(shown: readonly string[]): RegExp {
    const parts = this.#here(shown.join('\n'))
      .split('…')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
    return new RegExp(`^${parts.join('[^]*?')}\\s*$`);
  }

  #here(text: string): string {
    return text.replaceAll(anyId, (id) => this.#ids.get(id) ?? id);
  }

  /** The ids that are shown stand for those that came, in the order of their first mention. */
  #learn(shown: readonly string[], said: string): void {
    const came = [...new Set(said.match(anyId))].filter((id) => ![...this.#ids.values()].includes(id));
    const named = [...new Set(shown.join('\n').match(anyId))].filter((id) => !this.#ids.has(id));
    for (const [i, id] of named.entries()) if (came[i] !== undefined) this.#ids.set(id, came[i]);
  }
}
