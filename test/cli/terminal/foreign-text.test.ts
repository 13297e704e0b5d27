import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { answering, at, by, hasTerminals, newWorkspace } from '../../support/cli.ts';
import { describeWith } from '../../support/needs.ts';
import { oddServer } from '../../tools/mcp/support.ts';

const esc = '\u001b';
const payloads = {
  'OSC 52': `${esc}]52;c;cm0gLXJmIH4=\u0007`,
  'OSC 0': `${esc}]0;owned${esc}\\`,
  'OSC 8': `${esc}]8;;http://evil/\u0007link`,
  CSI: `${esc}[2J${esc}[1;1H${esc}[31m`,
  'C1 CSI': '\u009b2J\u009d0;owned\u009c',
  'DCS, APC, PM': `${esc}Pq${esc}\\${esc}_x${esc}\\${esc}^y${esc}\\\u0090\u009f\u009e`,
  'bell, erasing and overwriting': 'a\u0007\b\b\rb\u0000\u007f\u000b\u000c',
  'bidirectional marks': '\u202egnp.exe\u2066\u200f\u061c\u2069',
  separators: '\u2028\u2029\u0085',
  tags: 'x\u{e0072}\u{e006d}',
};
const all = Object.values(payloads).join('|');
/** All to which a terminal reacts, but line ends and tabs. */
const reacts = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\u{e0000}-\u{e007f}](?<![\n\t])/u;
/** The sequences that Detent sends itself. */
const ours = new RegExp(`${esc}\\[(?:\\d*[AGJKH]|[\\d;]*m|\\?2004[hl])|\\r`, 'g');
// Keys and names cannot hold control characters, but marks.
const session = 'day\u202ekey';

/** A workspace whose every text comes from an attacker. */
async function hostileWorkspace() {
  const odd = await oddServer({ tools: [{ name: 'echo', description: `says ${all}` }] });
  const workspace = await newWorkspace({
    'detent.config.json': JSON.stringify({
      mcp: { servers: { odd: odd.config } },
      models: {
        evil: { baseUrl: 'http://127.0.0.1:9/v1', models: { [`m${all}`]: { contextWindow: 9_000 } } },
      },
    }),
    'notes.txt': `file ${all}`,
    'MEMORY.md': `# Notes\n\n- the needle ${all}\n`,
  });
  await mkdir(workspace.path('skills/bad'), { recursive: true });
  await workspace.write(
    'skills/bad/SKILL.md',
    `---\nname: bad\ndescription: ${JSON.stringify(`does ${all}`)}\n---\n\n# T\n\n${all}\n`,
  );
  const calls = [
    { name: 'read_file', arguments: { path: 'notes.txt' } },
    { name: `no${all}`, arguments: { a: all } },
  ];
  const provider = await answering(
    { reasoning: all, text: [...`first ${all}`], calls },
    { text: [...`answer ${all}`] },
    { calls: [{ name: 'write_file', arguments: { path: `f${all}\u200b`, content: `c${all}\u200b` } }] },
    { status: 400, body: { error: { message: `refused ${all}` } } },
  );
  const told = ['--session', session, ...by(provider)];
  const done = await workspace.detent(['run', `prompt ${all}`, ...told, '--json']);
  const parked = await workspace.detent(['run', 'write', '--session', 'parked', ...by(provider), '--json']);
  const failed = await workspace.detent(['run', 'fail', '--session', 'failed', ...by(provider), '--json']);
  for (const { code, stderr } of [done, parked, failed])
    if (![0, 1, 5].includes(code ?? 9)) throw new Error(stderr);
  const idOf = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { runId: string }).runId;
  return { workspace, address: at(provider), ids: [idOf(done), idOf(parked), idOf(failed)] as const };
}

const commands: readonly (readonly [string, (ids: readonly [string, string, string]) => string[]])[] = [
  ['runs list', () => ['runs', 'list']],
  ['runs show', ([done]) => ['runs', 'show', done]],
  ['runs show, of a parked run', ([, parked]) => ['runs', 'show', parked]],
  ['runs show, of a failed run', ([, , failed]) => ['runs', 'show', failed]],
  ['runs events', ([done]) => ['runs', 'events', done]],
  ['runs why, of a parked run', ([, parked]) => ['runs', 'why', parked]],
  ['runs why, of a failed run', ([, , failed]) => ['runs', 'why', failed]],
  ['runs diff', ([done, , failed]) => ['runs', 'diff', done, failed]],
  ['runs resume', ([, parked]) => ['runs', 'resume', parked]],
  ['runs replay', ([done]) => ['runs', 'replay', done]],
  ['sessions list', () => ['sessions', 'list']],
  ['sessions show', () => ['sessions', 'show', session]],
  ['sessions search', () => ['sessions', 'search', 'answer']],
  ['skills list', () => ['skills', 'list']],
  ['skills show', () => ['skills', 'show', 'bad']],
  ['skills why', () => ['skills', 'why', all]],
  ['tools list', () => ['tools', 'list']],
  ['mcp list', () => ['mcp', 'list']],
  ['mcp test', () => ['mcp', 'test', 'odd']],
  ['models list', () => ['models', 'list']],
  ['memory search', () => ['memory', 'search', 'needle']],
  ['memory get', () => ['memory', 'get', 'MEMORY.md']],
  ['doctor', () => ['doctor']],
  ['config show', () => ['config', 'show']],
  ['usage', () => ['usage', '--by', 'session']],
];

describe('text of models, tools, servers and files', () => {
  it('is only text in the output of every command that prints it, and exact in its JSON', async () => {
    const { workspace, ids, address } = await hostileWorkspace();
    for (const [name, wordsOf] of commands)
      for (const words of [wordsOf(ids), [...wordsOf(ids), '--json']]) {
        const again = name === 'runs resume' ? address : [];
        const { stdout, stderr } = await workspace.detent([...words, ...again]);
        expect(stdout + stderr, name).not.toBe('');
        expect(reacts.exec(stdout + stderr), `${words.join(' ')}: ${stdout}${stderr}`).toBeNull();
      }
    const { view } = await workspace.json(['runs', 'show', ids[0]]);
    expect(view.text).toBe(`answer ${all}`);

    const { stdout } = await workspace.detent(['sessions', 'export', session]);
    expect(stdout).toContain('answer');
    expect(reacts.exec(stdout)).toBeNull();
    for (const line of stdout.trimEnd().split('\n')) JSON.parse(line);

    const { stderr } = await workspace.detent(['runs', 'resume', ids[1], ...address]);
    expect(stderr).toContain('detent runs confirm');
    expect(stderr).toContain('\\u200b');
  });
});

const ways = [
  ['run', ['run', 'go']],
  ['run --jsonl', ['run', 'go', '--jsonl']],
  ['run --json', ['run', 'go', '--json']],
] as const;

describe('what a model streams', () => {
  it.each(ways)('is only text in a pipe, in pieces of any size: %s', async (_, words) => {
    for (const text of [all, [...all]]) {
      const workspace = await newWorkspace();
      const { stdout, stderr, code } = await workspace.detent([
        ...words,
        ...by(await answering({ text, reasoning: text })),
      ]);
      expect(code).toBe(0);
      expect(reacts.exec(stdout + stderr), JSON.stringify(stdout)).toBeNull();
      expect(stdout).toContain('\\u001b]52;c;cm0gLXJmIH4=\\u0007');
    }
  });

  it('is only text when its provider refuses with it', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ status: 400, body: { error: { message: `no ${all}` } } });
    const { stderr, code } = await workspace.detent(['run', 'go', ...by(provider)]);
    expect(code).toBe(1);
    expect(stderr).toContain('\\u001b]52;');
    expect(reacts.exec(stderr)).toBeNull();
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing').concurrent('on a terminal', () => {
  const onlyText = (stdout: string) => {
    expect(stdout).toContain('\\u001b]52;c;cm0gLXJmIH4=\\u0007');
    expect(reacts.exec(stdout.replaceAll(ours, '')), JSON.stringify(stdout)).toBeNull();
  };
  const written = { name: 'write_file', arguments: { path: 'f', content: `${all}\u200b\u2060\ufeff` } };

  it(`${Object.keys(payloads).join('; ')}: each in a streamed answer is only text`, async () => {
    const workspace = await newWorkspace();
    const lines = Object.values(payloads).map((payload, nth) => `before ${nth} ${payload} after\n`);
    const provider = await answering({ text: [...lines.join('\n')] });
    const { stdout } = await workspace.onTerminal(['run', 'go', ...by(provider)]).ended;
    for (const [nth, payload] of Object.values(payloads).entries()) {
      expect(stdout).toContain(`before ${nth} `);
      if (payload.includes(esc)) expect(stdout).not.toContain(payload);
    }
    expect(reacts.exec(stdout.replaceAll(ours, '')), JSON.stringify(stdout)).toBeNull();
  });

  it('a chat shows only text, in its answers and in its questions', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: [...all], calls: [written] });
    const live = workspace.onTerminal(['chat', ...by(provider)]);
    await live.saw('stdout', /> /);
    live.write('go\r');
    const asked = await live.saw('stdout', /\[a\]pprove/);
    onlyText(asked);
    for (const unseen of ['\\u200b', '\\u2060', '\\ufeff']) expect(asked).toContain(unseen);
    live.write('l\r\u0004');
    onlyText((await live.ended).stdout);
  });

  it('resumed runs and their questions are only text', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: [...all], calls: [written] }, { text: [...all] });
    const { view } = await workspace.json(['run', 'go', ...by(provider)]);
    const live = workspace.onTerminal(['runs', 'resume', view.runId, ...at(provider)]);
    onlyText(await live.saw('stdout', /\[a\]pprove/));
    live.write('a\r');
    onlyText((await live.ended).stdout);
  });

  it('a prefilled line of new arguments presses no keys', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ calls: [written] }, { text: 'ok' });
    const live = workspace.onTerminal(['run', 'go', ...by(provider)]);
    await live.saw('stdout', /\[a\]pprove/);
    live.write('e\r');
    onlyText(await live.saw('stdout', /new arguments.*\}/s));
    live.write('\r');
    await live.saw('stdout', /nothing was changed/);
    live.write('l\r');
    await live.ended;
  });
});
