import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answering, by, cliProcess, newWorkspace, type Workspace } from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';
import { type MockProvider, textOf } from '../../../support/mock-provider.ts';

const said = ({ requests }: MockProvider) =>
  textOf(requests[0]?.body.messages.findLast(({ role }) => role === 'user'));

/** Runs words of a shell in the workspace, with `$DETENT` for the program. */
async function shell(workspace: Workspace, script: string) {
  const { PATH = '' } = process.env;
  const child = spawn('/bin/sh', ['-c', script], { cwd: workspace.folder, env: { PATH, DETENT_TRUST: '1' } });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  return { code, stderr };
}

describe('stdin of detent run', () => {
  it('goes with the prompt as a file, and the command says so', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' });
    const { code, stderr } = await workspace.detent(['run', 'summarise this', ...by(provider)], {
      input: 'a\nb\n',
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^· stdin goes with the prompt as a file \(4 B\)$/m);
    expect(said(provider)).toBe('summarise this\n\n[File stdin, 4 B]\na\nb\n[End of stdin]');
  });

  it('is the prompt when there is no other, or "-"', async () => {
    for (const words of [['run'], ['run', '-']]) {
      const workspace = await newWorkspace();
      const provider = await answering({ text: 'ok' });
      const { code, stderr } = await workspace.detent([...words, ...by(provider)], { input: 'hello there' });
      expect([code, said(provider)]).toEqual([0, 'hello there']);
      expect(stderr).not.toContain('stdin');
    }
  });

  it('is nothing when it is empty', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' });
    const { stderr } = await workspace.detent(['run', 'hi', ...by(provider)], { input: '' });
    expect([said(provider), stderr.includes('stdin')]).toEqual(['hi', false]);
  });

  it('is refused when it is neither text nor a picture, or too large', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' });
    const binary = await workspace.detent(['run', 'hi', ...by(provider)], { input: 'a\u0000b' });
    expect([binary.code, binary.stderr]).toEqual([
      2,
      expect.stringContaining('stdin cannot be attached: it is not'),
    ]);
    const large = await workspace.detent(['run', 'hi', ...by(provider)], { input: 'x'.repeat(20_000_001) });
    expect([large.code, large.stderr]).toEqual([2, expect.stringContaining('stdin has more than 20.0 MB')]);
    expect(provider.requests).toEqual([]);
  });

  it('is read from a pipe and a file, and not from /dev/null', async () => {
    const workspace = await newWorkspace();
    writeFileSync(workspace.path('data.txt'), 'from a file');
    for (const [input, text] of [
      ['echo from a pipe | %', 'from a pipe'],
      ['% < data.txt', 'from a file'],
      ['% < /dev/null', null],
      ['% <&-', null],
    ] as const) {
      const provider = await answering({ text: 'ok' });
      const { code } = await shell(
        workspace,
        input.replace('%', cliProcess(['run', 'read', ...by(provider)])),
      );
      expect([input, code]).toEqual([input, 0]);
      if (text === null) expect(said(provider)).toBe('read');
      else expect(said(provider)).toContain(text);
    }
  });

  itDeep('does not hold up the run when it is a pipe that nobody writes to or closes', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'ok' });
    const run = cliProcess(['run', 'hi', ...by(provider)]);
    const { code, stderr } = await shell(
      workspace,
      `mkfifo f; sleep 60 > f & ${run} < f; code=$?; kill $!; exit $code`,
    );
    expect([code, said(provider)]).toEqual([0, 'hi']);
    expect(stderr).toContain('stdin was silent');
  });
});

describe('errors with --json', () => {
  it.each([
    [['runs', 'show', 'run_none', '--json'], 4, 'NOT_FOUND'],
    [['run', '', '--json'], 2, 'EMPTY_PROMPT'],
    [['run', 'hi', '--model', 'openai/gpt-5-mini', '--json'], 3, 'MISSING_KEY'],
    [['runs', 'list', '--status', 'odd', '--json'], 2, 'USAGE'],
    [['sessions', 'show', 'k', '--nope', '--json'], 2, 'USAGE'],
    [['memory', 'get', '../x', '--json'], 2, 'MEMORY_PATH'],
  ])('%j prints one object, with exit code %d', async (words, code, error) => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(words);
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.stdout)).toEqual({
      error: { code: error, message: expect.any(String), retryable: false, details: expect.any(Object) },
    });
    expect(ended.stderr).toMatch(/^detent: /);
  });

  it('print nothing on stdout without it, or when it is a word of the prompt', async () => {
    const workspace = await newWorkspace();
    expect((await workspace.detent(['runs', 'show', 'run_none'])).stdout).toBe('');
    expect((await workspace.detent(['runs', 'show', '--', '--json'])).stdout).toBe('');
  });
});

describe('run --jsonl --deltas', () => {
  it('has every piece of the answer between the events', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ reasoning: ['so', ' then'], text: ['one', ' two'] });
    const { stdout } = await workspace.detent(['run', 'go', '--jsonl', '--deltas', ...by(provider)]);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const deltas = lines.filter(({ type }) => type === 'delta');
    expect(deltas.map(({ delta }) => `${delta.type}: ${delta.text}`).join('|')).toBe(
      'reasoning: so|reasoning:  then|text: one|text:  two',
    );
    expect(deltas[0]).toMatchObject({ effectId: 1, attempt: 1, offset: 0 });
    const events = (await workspace.detent(['run', 'go', '--jsonl', ...by(await answering({ text: 'x' }))]))
      .stdout;
    expect(events).not.toContain('"type":"delta"');
  });

  it('says which answer was withdrawn', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ text: 'half', ending: 'drop' }, { text: 'whole' });
    const { stdout } = await workspace.detent(['run', 'go', '--jsonl', '--deltas', ...by(provider)]);
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types.filter((type) => type.startsWith('delta'))).toEqual(['delta', 'delta.reset', 'delta']);
  });
});
