/** One client of each kind that harms others, or tries to. All wait between two tries, so that the hour is not theirs alone. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { type AttacksReport, counter, pause, type ServerUp } from './protocol.ts';

const [up] = (await once(process, 'message')) as [ServerUp];
const { port, attackerToken: token, longRunId, approvedRunId } = up;
const url = `http://127.0.0.1:${port}/api/v1`;
const authorization = `Bearer ${token}`;
const headers = { authorization, 'content-type': 'application/json' };

const post = (path: string, body: unknown) =>
  fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });

async function statusOf(answering: Promise<Response>): Promise<string> {
  const answer = await answering;
  await answer.arrayBuffer();
  return String(answer.status);
}

/** Sockets that ask for much and read nothing. */
async function readNothing(path: string): Promise<string> {
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET /api/v1${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\n\r\n`);
    return socket;
  });
  await pause(10_000);
  for (const socket of sockets) socket.destroy();
  return 'left';
}

/** A socket that asks over frames, faster than it could ever read. */
async function askAndReadNothing(): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false });
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', (code) => resolve(`closed ${code}`)));
  await once(socket, 'open');
  const frame = (id: string, method: string, payload: object) =>
    socket.send(JSON.stringify({ type: 'request', id, method, payload }));
  frame('0', 'connect', { token });
  await once(socket, 'message');
  socket.pause();
  for (let n = 1; n <= 50; n++) frame(String(n), 'run.trace', { runId: longRunId });
  const outcome = await Promise.race([closed, pause(10_000).then(() => 'left')]);
  socket.terminate();
  return outcome;
}

/** Uploads that stop before their end. */
async function stopUploading(): Promise<string> {
  const uploads = Array.from({ length: 10 }, () => {
    const upload = request(`${url}/attachments`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'text/plain', 'content-length': 16 * 2 ** 20 },
    });
    upload.on('error', () => {});
    upload.write(Buffer.alloc(15 * 2 ** 20, 'a'));
    return upload;
  });
  await pause(10_000);
  for (const upload of uploads) upload.destroy();
  return 'left';
}

const hangingSchema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };

const attacks: Readonly<Record<string, () => Promise<string>>> = {
  'wrong tokens': async () => {
    const wrong = () =>
      statusOf(fetch(`${url}/sessions`, { headers: { authorization: 'Bearer nobody.nothing' } }));
    return (await Promise.all(Array.from({ length: 10 }, wrong))).at(-1) ?? '';
  },
  'one transition of a long log': () =>
    statusOf(fetch(`${url}/runs/${longRunId}/trace?limit=1`, { headers })),
  'a long log': () => statusOf(fetch(`${url}/runs/${longRunId}/log`, { headers })),
  'a long log, read by no one': () => readNothing(`/runs/${longRunId}/log`),
  'a moment of a long log': () => statusOf(fetch(`${url}/runs/${longRunId}/at/20`, { headers })),
  'frames, read by no one': askAndReadNothing,
  'uploads that stop': stopUploading,
  'a schema that takes for ever': () => statusOf(post('/runs', { prompt: 'do hang', output: hangingSchema })),
  'a tool that leaves failures behind': () => statusOf(post('/runs', { prompt: 'do stray' })),
  'a fork with other words': () =>
    statusOf(post(`/runs/${approvedRunId}/forks`, { at: 0, editMessage: 'do wipe', resume: true })),
  'words into an approved session': () =>
    statusOf(post('/runs', { prompt: 'do wipe', sessionId: 'mallory approved' })),
};

const reported: AttacksReport = {};
for (const [name, attack] of Object.entries(attacks)) {
  const { counts, count } = counter();
  reported[name] = counts;
  void (async () => {
    for (;;) {
      count(await attack().catch((error) => `${error.cause?.code ?? error.code ?? error}`));
      await pause(2000 + Math.random() * 2000);
    }
  })();
}
process.on('message', (message) => message === 'report' && process.send?.(reported));
process.once('disconnect', () => process.exit());
