import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answering, by, cliProcess, newWorkspace } from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';

const calculation = [
  { text: ['Let me ', 'see.'], calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] },
  { text: ['It is', ' 42.'] },
];

interface Event {
  runId: string;
  seq: number;
  at: number;
  path: string;
  type: string;
  messages: object[];
}

function linesOf(stdout: string): Event[] {
  expect(stdout.endsWith('\n')).toBe(true);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe.concurrent('text output', () => {
  it('puts the words of all answers on stdout and progress with the tool on stderr', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(...calculation);
    const { code, stdout, stderr } = await workspace.detent(['run', 'how much?', ...by(provider)]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Let me see.\nIt is 42.\n' });
    expect(stderr).toContain('thinking');
    expect(stderr).toContain('calculator');
  });

  it('streams words while the answer is still being made', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: ['first words', ' and more'], ending: 'hang' });
    const live = workspace.start(['run', 'speak', ...by(provider)]);
    await live.saw('stdout', /^first words and more$/);
    live.kill('SIGKILL');
  });

  it('adds no second line break to an answer that ends in one', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'a line\n' });
    const { stdout } = await workspace.detent(['run', 'speak', ...by(provider)]);
    expect(stdout).toBe('a line\n');
  });

  it('has nothing but the answer with --quiet', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(...calculation);
    const ended = await workspace.detent(['run', 'how much?', '--quiet', ...by(provider)]);
    expect(ended).toMatchObject({ code: 0, stdout: 'Let me see.\nIt is 42.\n', stderr: '' });
  });

  it('shows a refusal as the words of the model', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ refusal: 'I will not do that.' });
    const { code, stdout } = await workspace.detent(['run', 'speak', ...by(provider)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'I will not do that.\n' });
  });

  itDeep('streams two million characters whole', async () => {
    const workspace = await newWorkspace();
    const piece = `${'x'.repeat(9_999)}\n`;
    const provider = await answering({ text: Array.from({ length: 200 }, () => piece) });
    const { code, stdout } = await workspace.detent(['run', 'speak', '--quiet', ...by(provider)]);
    expect({ code, same: stdout === piece.repeat(200) }).toEqual({ code: 0, same: true });
  });
});

describe.concurrent('--json', () => {
  it('prints exactly one object and nothing of the stream', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(...calculation);
    const { code, stdout } = await workspace.detent(['run', 'how much?', '--json', ...by(provider)]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'done', text: 'It is 42.' });
  });

  it('excludes --jsonl', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', 'x', '--json', '--jsonl']);
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'USAGE' } });
  });
});

describe.concurrent('--jsonl', () => {
  it('prints the events of the run, one a line, numbered without gaps', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(...calculation);
    const { code, stdout } = await workspace.detent(['run', 'how much?', '--jsonl', ...by(provider)]);
    const events = linesOf(stdout);
    expect(code).toBe(0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.map(({ type }) => type)).toEqual(['run.start', 'model.done', 'tool.done', 'model.done']);
    expect(events.at(-1)).toMatchObject({ path: 'done' });
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(1);
    expect(events.map(({ messages }) => messages)).toMatchObject([
      [{ role: 'user', text: 'how much?' }],
      [{ role: 'assistant', toolCalls: [{ callId: 2, name: 'calculator' }] }],
      [{ role: 'tool', callId: 2, isError: false }],
      [{ role: 'assistant' }],
    ]);
  });

  it('prints each event when it happens', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'well', ending: 'hang' });
    const live = workspace.start(['run', 'speak', '--jsonl', ...by(provider)]);
    const stdout = await live.saw('stdout', /\n$/);
    expect(linesOf(stdout)).toMatchObject([{ seq: 1, type: 'run.start' }]);
    live.kill('SIGKILL');
  });
});

describe.concurrent('a stdout that cannot be written', () => {
  it('does not stop a run whose reader has seen enough', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(...calculation);
    const command = cliProcess(['run', 'how much?', ...by(provider)]);
    const child = spawn('/bin/sh', ['-c', `(${command}; echo $? > code) | head -c 3`], {
      cwd: workspace.folder,
      env: { ...process.env, DETENT_TRUST: '1' },
      stdio: 'ignore',
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(readFileSync(workspace.path('code'), 'utf8')).toBe('0\n');
    expect((await workspace.lookAtOne()).status).toBe('done');
  });

  it('says so and fails when the disk behind it is full', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'words' });
    const full = openSync('/dev/full', 'w');
    const ended = await workspace.detent(['run', 'speak', ...by(provider)], { stdout: full });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('stdout cannot be written');
  });
});
