/** Clients that chat, decide, and come and go. */
import { once } from 'node:events';
import { ClientError, createClient } from '../../src/client/index.ts';
import { type ClientsReport, counter, pause, type ServerUp } from './protocol.ts';

const [up] = (await once(process, 'message')) as [ServerUp];
const url = `http://127.0.0.1:${up.port}`;

const empty = () => ({
  runs: 0,
  decisions: 0,
  reconnects: 0,
  probes: [] as number[],
  firstPieces: [] as number[],
});
let seen = empty();
let errors = counter();
const failed = (error: unknown) => errors.count(ClientError.is(error) ? error.code : String(error));

/** One conversation turn after the other; each fifth call waits for a decision, and at times the client goes and comes back. */
async function converse(token: string, n: number): Promise<void> {
  let client = createClient({ url, token });
  for (let turn = 1; ; turn++) {
    try {
      const began = performance.now();
      const run = client.run(turn % 5 === 0 ? 'do pay' : 'a question', {
        sessionId: `user${n} ${turn % 40}`,
      });
      const { runId } = await run.started;
      let isFirst = true;
      for await (const { event, payload } of run.events) {
        if (event === 'assistant.delta' && isFirst) {
          isFirst = false;
          if (turn % 5 !== 0) seen.firstPieces.push(performance.now() - began);
        }
        if (event !== 'tool.confirm_request') continue;
        const { callId, argumentsHash: hash } = payload;
        await client.confirm(runId, callId, { verdict: 'approve', hash });
        seen.decisions++;
      }
      seen.runs++;
    } catch (error) {
      failed(error);
    }
    if (turn % 7 === 0) {
      client.close();
      client = createClient({ url, token });
      seen.reconnects++;
    }
    await pause(500 + Math.random() * 1000);
  }
}

/** Asks for something small, again and again. */
async function probe(token: string): Promise<void> {
  for (;;) {
    const began = performance.now();
    try {
      const answer = await fetch(`${url}/api/v1/sessions?limit=5`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await answer.text();
      if (!answer.ok) errors.count(`probe ${answer.status}`);
      seen.probes.push(performance.now() - began);
    } catch (error) {
      failed(error);
    }
    await pause(200);
  }
}

process.on('message', (message) => {
  if (message !== 'report') return;
  process.send?.({ ...seen, errors: errors.counts } satisfies ClientsReport);
  seen = empty();
  errors = counter();
});
process.once('disconnect', () => process.exit());
const [probing = '', ...talking] = up.tokens;
void probe(probing);
talking.forEach((token, n) => void converse(token, n));
