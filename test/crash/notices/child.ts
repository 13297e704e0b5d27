import { createDetent } from '../../../src/index.ts';
import type { ModelRequest } from '../../../src/protocol/ports.ts';
import { type ScriptedAnswer, scriptedModel } from '../../../src/testing/index.ts';

/** Starts runs, of which every second one asks a person, and tells the receiver of those that wait. It is killed at any moment. */
const [workspace = '', url = '', first = '0', count = '0'] = process.argv.slice(2);

/** The waits between two attempts are far shorter than a test: a hundredth of what they are. */
const begin = Date.now();
const now = () => begin + (Date.now() - begin) * 100 + Number(first) * 60_000;
const clock = {
  now,
  wakeAt(at: number, wake: () => void) {
    const timer = setTimeout(wake, Math.max(0, (at - now()) / 100));
    return () => clearTimeout(timer);
  },
  hold: () => () => {},
};

function answer({ messages }: ModelRequest): ScriptedAnswer {
  return messages.at(-1)?.text === 'ask'
    ? { toolCalls: [{ name: 'ask_user', arguments: { question: 'Go on?' } }] }
    : { text: 'ok' };
}

const detent = createDetent({
  workspace,
  clock,
  env: {},
  model: 'test/a',
  models: {
    test: scriptedModel(Array(10_000).fill(answer)),
  },
  webhooks: { allowHosts: ['127.0.0.1'] },
  notify: { url, events: ['run.waiting'] },
  limits: { confirmExpiryMs: 1e11 },
  onError: () => {},
});
await detent.runs.resume();
process.stdout.write('ready\n');
for (let n = 0; n < Number(count); n++) {
  await detent.run(n % 2 ? 'say' : 'ask', { sessionId: `s${first}-${n}` }).result;
  process.stdout.write('at rest\n');
}
// It goes on with what is due until it is killed.
setInterval(() => {}, 1_000);
