import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { answering, bareWorkspace, by, newWorkspace, type Workspace } from '../support/cli.ts';
import { someOf } from '../support/deep.ts';

// What the commands say, a file a noun: read what changed in it as a person would. The files are written anew with `npm test -- test/cli/words.test.ts -u`. Help is in docs/cli.md, which is printed from the same source.

const wrong: Record<string, string[][]> = {
  detent: [['frobnicate'], ['constructor'], ['resume'], ['runs'], ['machine']],
  run: [
    ['run'],
    ['run', ''],
    ['run', ' \n\t '],
    ['run', 'two', 'words'],
    ['run', 'hi', '--frobnicate'],
    ['run', 'hi', '--modle', 'x'],
    ['run', 'hi', '-q'],
    ['run', 'hi', '--model'],
    ...['qwen3:8b', 'openai/', '/gpt-5', '', 'nosuch/model', 'demo/other'].map((name) => [
      'run',
      'hi',
      '--model',
      name,
    ]),
    ['run', 'hi', '--mode', 'jump'],
    ['run', 'hi', '--approve', 'some'],
    ['run', 'hi', '--agent', 'reviwer'],
    ['run', 'hi', '--tools', '@mth'],
    ['run', 'hi', '--base-url', 'http://127.0.0.1:9/v1'],
    ...['not a url', 'ftp://127.0.0.1/v1', ''].map((url) => [
      'run',
      'hi',
      '--model',
      'm/x',
      '--base-url',
      url,
    ]),
    ...['0', '-1', 'much', '1e3', '$5', ''].map((usd) => ['run', 'hi', `--max-cost=${usd}`]),
    ...['0', 'many', '1.5'].map((steps) => ['run', 'hi', `--max-steps=${steps}`]),
    ['run', 'hi', '--deltas'],
    ['run', 'hi', '--max-tokens=0'],
    ['run', 'hi', '--max-retries=-1'],
    ...['soon', '0'].map((time) => ['run', 'hi', `--timeout=${time}`]),
  ],
  runs: [
    ['runs', 'frobnicate'],
    ['runs', 'shwo'],
    ['runs', 'show'],
    ['runs', 'list', 'extra'],
    ['runs', 'list', '--status', 'wating'],
    ['runs', 'list', '--status', ''],
    ...['yesterday', '2x', '2026-02-31'].map((since) => ['runs', 'list', '--since', since]),
    ['runs', 'confirm', 'run_none', '--approve'],
    ['runs', 'confirm', 'run_none', 'c1'],
    ['runs', 'confirm', 'run_none', 'c1', '--approve', '--reject'],
    ['runs', 'confirm', 'run_none', 'c1', '--approve', '--modify', '{}'],
    ['runs', 'confirm', 'run_none', 'c1', '--approve', '--reason', 'x'],
    ['runs', 'confirm', 'run_none', 'c1', '--modify', '{not json'],
    ['runs', 'resume'],
    ['runs', 'resume', 'run_none', '--all'],
    ['runs', 'replay'],
    ['runs', 'replay', 'run_none', '--all'],
    ['runs', 'fork', 'run_none'],
    ['runs', 'fork', 'last', '-a', '3'],
    ['runs', 'fork', 'run_none', '--at', 'x'],
  ],
  sessions: [
    ['sessions', 'list', '--status', 'wating'],
    ['sessions', 'list', '--since', 'yesterday'],
    ['sessions', 'search'],
    ['sessions', 'search', 'a', 'b', 'c', 'd', 'e'],
    ['sessions', 'search', 'a', '--limit', '0'],
  ],
  cron: [
    ['cron', 'add', '--every', '1h', '--prompt', 'p'],
    ['cron', 'add', 'x', '--prompt', 'p'],
    ['cron', 'add', 'x', '--cron', '0 9 * * 1'],
    ['cron', 'add', 'x', '--cron', '0 9 * *', '--prompt', 'p'],
    ['cron', 'add', 'x', '--every', '0s', '--prompt', 'p'],
    ['cron', 'add', 'x', '--every', '1h', '--prompt', 'p', '--deliver', 'fax:1'],
    ['cron', 'add', 'x', '--every', '1h', '--prompt', 'p', '--secret-env', 'S'],
    ['cron', 'add', 'a\nb', '--every', '1h', '--prompt', 'p'],
    ['cron', 'update', 'x'],
    ['cron', 'list', '--limit', '501'],
    ['cron', 'next', '0 0/120 8-18 ? * 2-6'],
    ['cron', 'next', '0 9 * *'],
    ['cron', 'next', '0 9 * * 1', '--tz', 'Europe/Berlim'],
    ['cron', 'next', '0 9 * * 1', '--dialect', 'vixie'],
    ['cron', 'next', '0 9 * * 1', '--count', '0'],
    ['cron', 'next', '0 9 * * 1', '--count', '10001'],
    ['cron', 'next', '0 9 * * 1', '--from', 'tomorrow'],
    ['cron', 'next', '0', '9', '*', '*', '1'],
    ['cron', 'next', ''],
    ['cron', 'next'],
  ],
  serve: [
    ['serve', '--host', '0.0.0.0'],
    ['serve', '--host', '::'],
    ['serve', '--port', '65536'],
    ['serve', '--port', 'http'],
    ['serve', '--allow-host', 'https://agent.example'],
    ['serve', '--allow-host', '*'],
    ['serve', '--allow-origin', 'agent.example'],
    ['serve', '--allow-origin', 'https://shop.example/page'],
    ['serve', '--base-url', 'http://127.0.0.1:1/v1'],
  ],
  memory: [
    ['memory', 'write', ' '],
    ['memory', 'forget', '--yes'],
    ...['a.md', 'a.md:0', 'a.md:3-2'].map((lines) => ['memory', 'forget', `memory/${lines}`, '--yes']),
    ['memory', 'forget', 'memory/a.md:1', '--run', 'run_a', '--yes'],
  ],
  usage: [
    ['usage', '--since', 'yesterday'],
    ['usage', '--since', '2026-02-30'],
    ['usage', '--until', '2026-1-1'],
    ['usage', '--by', 'moon'],
  ],
  mcp: [
    ['mcp', 'add', 'a b', 'x'],
    ['mcp', 'add', 'a', 'https://a.example', '--env', 'A=1'],
    ['mcp', 'add', 'a', '--header', 'A=1', '--', 'x'],
    ['mcp', 'add', 'a', '--env', 'A', '--', 'x'],
    ['mcp', 'add', 'a'],
  ],
  skills: ['Tea', '-tea', 'tea-', 'a--b', '../x', 'a b', 'x'.repeat(65)].map((name) => [
    'skills',
    'new',
    '--',
    name,
  ]),
  token: [
    ['token', 'create'],
    ['token', 'create', '--scopes', 'read'],
    ['token', 'create', '--frobnicate', '--name', 'x'],
    ['token', 'create', '--scope', ''],
    ['token', 'create', '--scope', 'read,wirte'],
    ['token', 'create', '--scope', 'read', '--tenant', '0'],
    ['token', 'create', '--scope', 'read', '--user', ''],
    ['token', 'create', '--scope', 'read', '--expires', 'soon'],
    ['token', 'revoke'],
    ...['agent.example', 'ftp://agent.example', 'https://agent.example/#x', 'https://a:b@agent.example'].map(
      (url) => ['token', 'login', '--url', url],
    ),
  ],
  tenant: [
    ['tenant', 'create'],
    ['tenant', 'create', 'Acme'],
    ['tenant', 'create', 'default'],
    ['tenant', 'create', 'acme', '--workspace', '.'],
    ['tenant', 'create', 'acme', '--workspace', 'nowhere'],
    ['tenant', 'set', 'default'],
    ['tenant', 'set', 'default', '--no-workspace'],
  ],
  inspect: [
    ['inspect', 'x', '--url', 'ftp://agent.example'],
    ['inspect', 'x', '--open', '--print'],
    ['inspect', 'x', 'y'],
    ['inspect', '--stately'],
    ['inspect', 'x', '--stately', '--url', 'https://agent.example'],
    ['inspect', 'x', '--yes'],
  ],
  others: [
    ['chat', '--model', 'gpt-5'],
    ['chat', 'hello'],
    ['chat', '--mode', 'steer'],
    ['models', 'test', 'demo/demo', '--all'],
    ['models', 'test', '--all', '--base-url', 'http://127.0.0.1:9/v1'],
    ['trust', '--list', '--revoke'],
    ['trust', '--list', 'x'],
    ['trust', 'a', 'b'],
    ['init', '--ts', '--yaml'],
    ['init', 'a', 'b'],
    ['init', 'file'],
    ['completion', 'tcsh'],
    ['completion'],
    ['machine', 'show', 'jobs'],
    ['machine', 'show', '--format', 'png'],
  ],
};

it.each(Object.entries(wrong))(
  'detent %s says what is wrong, in one line, and makes nothing',
  async (noun, lines) => {
    const workspace = await bareWorkspace({ file: '' });
    const transcript: string[] = [];
    for (const words of lines) {
      const { code, stdout, stderr } = await workspace.detent(words);
      const said = stderr.trimEnd().replaceAll(workspace.folder, 'WORKSPACE');
      const typed = words.map((word) => (/^[\w@=:/.-]+$/.test(word) ? word : JSON.stringify(word)));
      transcript.push(`$ detent ${typed.join(' ')}\n${said}\n`);
      expect([words, code, stdout, said.split('\n').length]).toEqual([words, 2, '', 1]);
    }
    // Schedules, tenants and scopes are checked where they are kept.
    const isKept = ['cron', 'tenant', 'token'].includes(noun);
    expect(readdirSync(workspace.folder)).toEqual(isKept ? ['.detent', 'file'] : ['file']);
    await expect(transcript.join('\n')).toMatchFileSnapshot(`words/${noun}.txt`);
  },
);

const empty = [
  ['runs', 'list'],
  ['runs', 'list', '--json'],
  ['runs', 'resume', '--all'],
  ['sessions', 'list'],
  ['sessions', 'list', '--json'],
  ['sessions', 'search', 'zebra'],
  ['usage'],
  ['mcp', 'list'],
  ['workflow', 'list'],
  ['config', 'path'],
];

it('detent shows nothing where nothing is, and makes nothing', async () => {
  const workspace = await bareWorkspace();
  const transcript: string[] = [];
  for (const words of empty) {
    const { code, stdout, stderr } = await workspace.detent(words);
    const said = `${stdout}${stderr}`.replaceAll(workspace.folder, 'WORKSPACE');
    transcript.push(`$ detent ${words.join(' ')}\n${said}${code === 0 ? '' : `(exit ${code})\n`}`);
  }
  expect(readdirSync(workspace.folder)).toEqual([]);
  await expect(transcript.join('\n')).toMatchFileSnapshot('words/shown/nothing.txt');
});

const config = {
  models: { mock: { models: { model: { price: { inputUsd: 10_000, outputUsd: 10_000 } } } } },
};
const usage = { prompt_tokens: 100, completion_tokens: 50 };

/** Three runs: one that used a tool in the session `trip`, one that waits, one that failed. And a job. */
async function world(): Promise<Workspace> {
  const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify(config) });
  const provider = await answering(
    { text: 'Let me see.', calls: [{ name: 'calculator', arguments: { expression: '6*7' } }], usage },
    { text: 'It is 42.', usage },
    { calls: [{ name: 'write_file', arguments: { path: 'a', content: 'b' } }], usage },
    { status: 400, body: { error: { message: 'no such luck' } } },
  );
  await workspace.detent(['run', 'What is 6*7?\n\n 六乘七？', '--session', 'trip', ...by(provider)]);
  await workspace.detent(['run', 'write it', '--session', 'letter', ...by(provider)]);
  await workspace.detent(['run', 'fail', '--session', 'luckless', ...by(provider)]);
  const daily = ['--cron', '0 9 * * 1-5', '--tz', 'Europe/Berlin', '--prompt', 'Sum up.'];
  await workspace.detent(['cron', 'add', 'daily', ...daily]);
  await workspace.detent(['cron', 'pause', 'daily', '--reason', 'holiday']);
  return workspace;
}

const shown: Record<string, string[][]> = {
  runs: [
    ['runs', 'list'],
    ['runs', 'list', '--status', 'queued'],
    ...['trip', 'letter', 'luckless'].map((session) => ['runs', 'show', session]),
    ['runs', 'events', 'trip'],
    ...['trip', 'letter', 'luckless'].map((session) => ['runs', 'why', session]),
    ['runs', 'replay', '--all'],
  ],
  sessions: [
    ['sessions', 'list'],
    ['sessions', 'list', '--since', '2999-01-01'],
    ['sessions', 'show', 'trip'],
    ['sessions', 'grants', 'trip'],
  ],
  usage: [
    ['usage', '--by', 'session'],
    ['usage', '--by', 'user'],
  ],
  cron: [
    ['cron', 'list'],
    ['cron', 'history', 'daily'],
    ['cron', 'show', 'dialy'],
  ],
  memory: [
    ['memory', 'status'],
    ['memory', 'search', 'zebra'],
  ],
};

/** What differs from run to run, under a name of the same meaning. */
const masks: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d\b/g, 'DAY'],
  [/\b\d\d:\d\d:\d\d\.\d{3}\b/g, 'HH:MM:SS.mmm'],
  [/127\.0\.0\.1:\d+/g, 'PROVIDER'],
  [/\b[0-9a-f]{64}\b/g, 'SHA256'],
  [/(?<= {2})[0-9a-z]{11}(?= {2})/g, 'OF_CONTEXT'],
  [/(?<=waited |\()[\d.]+ m?s(?=, since|;|$)/gm, 'A_WHILE'],
];

it.each(someOf(Object.entries(shown), 5))('detent %s shows what there is', async (noun, lines) => {
  const workspace = await world();
  const runs = await workspace.withLibrary((detent) => detent.runs.list({ limit: 9 }));
  const ids = new Map(runs.map(({ sessionId, runId }) => [sessionId, runId]));
  const transcript: string[] = [];
  for (const words of lines) {
    const isOfRun = words[0] === 'runs' && words[1] !== 'list';
    const { code, stdout, stderr } = await workspace.detent(
      words.map((word) => (isOfRun ? (ids.get(word) ?? word) : word)),
    );
    let said = `$ detent ${words.join(' ')}\n${stdout}${stderr}${code === 0 ? '' : `(exit ${code})\n`}`;
    for (const [session, runId] of ids) said = said.replaceAll(runId, `RUN_OF_${session.toUpperCase()}`);
    for (const [pattern, name] of masks) said = said.replaceAll(pattern, name);
    transcript.push(said.replaceAll(workspace.folder, 'WORKSPACE'));
  }
  await expect(transcript.join('\n')).toMatchFileSnapshot(`words/shown/${noun}.txt`);
});
