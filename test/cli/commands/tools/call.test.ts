import { describe, expect, it } from 'vitest';
import type { RunView } from '../../../../src/index.ts';
import { bareWorkspace, hasTerminals } from '../../../support/cli.ts';
import { describeWith } from '../../../support/needs.ts';
import { alike, servedWorkspace } from '../../port/support.ts';

const note = '{"path":"note.txt","content":"hello"}';

describe.concurrent('tools call', () => {
  it('prints the result, and nothing else, on stdout', async () => {
    const workspace = await bareWorkspace({ 'note.txt': 'hello\n' });
    const ended = await workspace.detent(['tools', 'call', 'read_file', '{"path":"note.txt"}']);
    expect(ended).toMatchObject({ code: 0, stdout: 'hello\n' });
    expect(ended.stderr).toMatch(/^· done \(run run_\S+, session ses_\S+\)$/m);
    await workspace.write('input.json', '{"path":"note.txt"}');
    expect((await workspace.detent(['tools', 'call', 'read_file', '@input.json'])).stdout).toBe('hello\n');
    const input = '{"path":"note.txt"}';
    expect((await workspace.detent(['tools', 'call', 'read_file', '-'], { input })).stdout).toBe('hello\n');
  });

  it('--json has the whole run', async () => {
    const workspace = await bareWorkspace();
    const call = ['tools', 'call', 'calculator', '{"expression":"17 * 23"}'];
    const { code, view } = await workspace.json<RunView>(call);
    expect(code).toBe(0);
    expect(view).toMatchObject({ status: 'done', call: { name: 'calculator', result: '391' } });
  });

  it('exits with 1, and the reason, for a call that fails or is refused', async () => {
    const workspace = await bareWorkspace();
    const gone = await workspace.detent(['tools', 'call', 'read_file', '{"path":"gone.txt"}']);
    expect(gone).toMatchObject({ code: 1, stdout: '' });
    expect(gone.stderr).toMatch(/^detent: read_file: .+ \(FILE_NOT_FOUND, run run_\S+\)$/m);
    const typo = await workspace.detent(['tools', 'call', 'raed_file']);
    expect(typo.code).toBe(1);
    expect(typo.stderr).toContain('there is no tool "raed_file"; did you mean "read_file"?');
    expect(gone.stderr).not.toContain('· done');
    expect(await workspace.withLibrary((detent) => detent.runs.list())).toHaveLength(1);
  });

  it('exits with 2 for arguments that are no object', async () => {
    const workspace = await bareWorkspace();
    for (const words of [['{'], ['[1]'], ['@gone.json'], ['{}', 'more']])
      expect((await workspace.detent(['tools', 'call', 'datetime', ...words])).code).toBe(2);
    expect(await workspace.withLibrary((detent) => detent.runs.list())).toEqual([]);
  });

  it('waits for a person, whom the other commands let decide', async () => {
    const workspace = await bareWorkspace();
    const asked = await workspace.detent(['tools', 'call', 'write_file', note]);
    expect(asked).toMatchObject({ code: 5, stdout: '' });
    const [runId = ''] = /run_\w+/.exec(asked.stderr) ?? [];
    expect(asked.stderr).toContain(`detent runs confirm ${runId} c1 --approve`);
    const list = await workspace.detent(['runs', 'list']);
    expect(list.stdout).toContain('tool/write_file');
    expect((await workspace.detent(['runs', 'show', runId])).stdout).toContain('c1 write_file');
    expect((await workspace.detent(['runs', 'why', runId])).stdout).toContain('write_file');
    expect((await workspace.detent(['runs', 'confirm', runId, 'c1', '--approve'])).code).toBe(0);
    const resumed = await workspace.detent(['runs', 'resume', runId]);
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain('note.txt');
    expect((await workspace.detent(['runs', 'replay', runId])).code).toBe(0);
    const read = await workspace.detent(['tools', 'call', 'read_file', '{"path":"note.txt"}']);
    expect(read.stdout).toBe('hello\n');
  });

  it('is cancelled while it waits', async () => {
    const workspace = await bareWorkspace();
    await workspace.detent(['tools', 'call', 'write_file', note]);
    expect((await workspace.detent(['runs', 'cancel', 'last'])).stdout).toBe('cancelled\n');
    expect((await workspace.lookAtOne()).status).toBe('cancelled');
  });

  it('is made once for a key', async () => {
    const workspace = await bareWorkspace();
    const call = ['tools', 'call', 'datetime', '{}', '--key', 'k'];
    const first = await workspace.json<RunView>(call);
    expect((await workspace.json<RunView>(call)).view.runId).toBe(first.view.runId);
    const other = await workspace.detent(['tools', 'call', 'calculator', '{}', '--key', 'k']);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('same idempotencyKey') });
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('tools call on a terminal', () => {
  it('asks there', async () => {
    const workspace = await bareWorkspace();
    const live = workspace.onTerminal(['tools', 'call', 'write_file', note]);
    await live.saw('stdout', /write_file note\.txt/);
    live.write('y\n');
    expect((await live.ended).code).toBe(0);
    const { call } = await workspace.lookAtOne();
    expect(call).toMatchObject({ decision: 'approve', isError: false });
  });
});

describe('tools call with --server', () => {
  it('prints what it prints on the database itself', async () => {
    const { workspace, remote } = await servedWorkspace({ 'note.txt': 'hello\n' });
    for (const words of [
      ['read_file', '{"path":"note.txt"}'],
      ['read_file', '{"path":"gone.txt"}'],
      ['write_file', note, '--approve', 'none'],
    ]) {
      const [here, there] = [
        await workspace.detent(['tools', 'call', ...words]),
        await remote(['tools', 'call', ...words]),
      ];
      const shown = ({ code, stdout, stderr }: typeof here) => [
        words,
        code,
        stdout,
        alike(stderr)
          .split('\n')
          .filter((line) => !line.startsWith('· using')),
      ];
      expect(shown(there)).toEqual(shown(here));
    }
  });

  it('stands in a conversation, which goes on with its model', async () => {
    const { remote } = await servedWorkspace();
    for (const words of [
      ['run', 'What is 6 * 7?', '--session', 's'],
      ['tools', 'call', 'datetime', '--session', 's'],
      ['run', 'And 7 * 8?', '--session', 's'],
    ])
      expect(await remote(words)).toMatchObject({ code: 0 });
    expect((await remote(['sessions', 'show', 's'])).stdout).toContain('datetime');
  });
});
