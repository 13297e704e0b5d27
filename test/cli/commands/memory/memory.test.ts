import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { MemorySearch } from '../../../../src/index.ts';
import { bareWorkspace, type Workspace } from '../../../support/cli.ts';
import { writeFiles } from '../../../support/files.ts';

const files = {
  'memory/MEMORY.md': '# Memory\n\n- The user is called Ada.\n',
  'memory/2026-03-05.md':
    '# 2026-03-05\n\n<!-- run_a:3 -->\n- We booked the hotel Seaside. (run_a)\n- Two nights. (run_a)\n\nBy hand.\n',
};

async function remembering(more: Record<string, string> = {}): Promise<Workspace> {
  const workspace = await bareWorkspace();
  await writeFiles(workspace.folder, { ...files, ...more });
  return workspace;
}

describe.concurrent('detent memory', () => {
  it('search prints places and passages, and as JSON all there is to know', async () => {
    const workspace = await remembering();
    const { code, stdout } = await workspace.detent(['memory', 'search', 'hotel']);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^memory\/2026-03-05\.md:4-\d+ {2}\(score 0\.\d\d, agent, 2026-03-05\)\n {2}- We booked/,
      ),
    });
    const { view } = await workspace.json<MemorySearch>(['memory', 'search', 'zzyzx', '没有']);
    expect(view).toEqual({
      mode: 'lexical',
      indexed: 2,
      pending: 0,
      stale: false,
      reason: 'no word of the query is in the memory; try other words',
      results: [],
    });
  });

  it('search says why it finds nothing', async () => {
    const workspace = await bareWorkspace();
    const { code, stdout, stderr } = await workspace.detent(['memory', 'search', 'hotel']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: 'detent: the memory is empty: there are no memory files\n',
    });
  });

  it('write adds lines of the user, which search and get find', async () => {
    const workspace = await remembering();
    const { stdout } = await workspace.detent([
      'memory',
      'write',
      'The boat is called Nereid',
      '--long-term',
    ]);
    expect(stdout).toBe('wrote 1 line to memory/MEMORY.md\n');
    expect((await workspace.detent(['memory', 'search', 'Nereid'])).stdout).toContain('owner');
    expect((await workspace.detent(['memory', 'get', 'memory/MEMORY.md', '--line', '3'])).stdout).toBe(
      '- The user is called Ada.\n\n- The boat is called Nereid\n',
    );
    expect(await workspace.detent(['memory', 'write', ' '])).toMatchObject({ code: 2 });
  });

  it('get refuses what is no memory file', async () => {
    const workspace = await remembering({ 'notes.md': 'a' });
    expect(await workspace.detent(['memory', 'get', 'notes.md'])).toMatchObject({ code: 2, stdout: '' });
    expect(await workspace.detent(['memory', 'get', 'memory/none.md'])).toMatchObject({
      code: 4,
      stdout: '',
    });
  });

  it('status and index say how much there is; a rebuilt index answers alike', async () => {
    const workspace = await remembering();
    const status = (await workspace.json<object>(['memory', 'status'])).view;
    expect(status).toMatchObject({ indexed: 2, chunks: 2, pending: 0, problems: [] });
    const before = (await workspace.json(['memory', 'search', 'hotel Ada'])).view;
    expect((await workspace.json(['memory', 'index', '--rebuild'])).view).toEqual(status);
    expect((await workspace.json(['memory', 'search', 'hotel Ada'])).view).toEqual(before);
    expect((await workspace.detent(['memory', 'index'])).stdout).toMatch(/^2 files in 2 chunks, of /);
  });

  it('forget takes lines away, or all that a run has written', async () => {
    const workspace = await remembering();
    const file = workspace.path('memory/2026-03-05.md');
    expect(await workspace.detent(['memory', 'forget', 'memory/2026-03-05.md:5'])).toMatchObject({ code: 2 });
    const { stdout } = await workspace.detent(['memory', 'forget', 'memory/2026-03-05.md:5', '--yes']);
    expect(stdout).toBe('forgot 1 line of 1 file\n');
    expect(await readFile(file, 'utf8')).not.toContain('Two nights');
    expect((await workspace.json(['memory', 'forget', '--run', 'run_a', '--yes'])).view).toEqual({
      forgotten: [
        {
          path: 'memory/2026-03-05.md',
          lines: ['<!-- run_a:3 -->', '- We booked the hotel Seaside. (run_a)'],
        },
      ],
    });
    expect(await readFile(file, 'utf8')).toBe('# 2026-03-05\n\n\nBy hand.\n');
    expect((await workspace.json<MemorySearch>(['memory', 'search', 'hotel'])).view.results).toEqual([]);
  });

  it('eval measures a folder of notes', async () => {
    const question = { query: 'the Seaside booking', relevant: [{ path: 'memory/2026-03-05.md' }] };
    const workspace = await remembering({ 'queries.jsonl': JSON.stringify(question) });
    const { view } = await workspace.json(['memory', 'eval', '.']);
    expect(view).toMatchObject({ files: 2, queries: 1, hitAt1: 1, ndcgAt10: 1 });
    expect((await workspace.detent(['memory', 'eval', '.', '--typos'])).stdout).toMatch(/^nDCG@10 +1\.000$/m);
    expect(await workspace.detent(['memory', 'eval', 'memory'])).toMatchObject({ code: 4 });
  });
});
