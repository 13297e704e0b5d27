import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bareWorkspace } from '../support/cli.ts';

// What the commands say to those who use them wrongly, a file a noun: read what changed in it as a person would. The files are
// written anew with `npm test -- test/cli/words.test.ts -u`. Help is in docs/cli.md, which is printed from the same source.

const wrong: Record<string, string[][]> = {
  detent: [['frobnicate'], ['constructor'], ['resume'], ['runs'], ['machine']],
  run: [
    ['run'],
    ['run', ''],
    ['run', ' \n\t '],
    ['run', 'two', 'words'],
    ['run', 'hi', '--frobnicate'],
    ['run', 'hi', '--modle', 'x'],
    ['run', 'hi', '--model'],
    ['run', 'hi', '--model', 'qwen3:8b'],
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
    ['runs', 'fork', 'run_none'],
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
  others: [
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
    // A schedule is checked where jobs are kept.
    expect(readdirSync(workspace.folder)).toEqual(noun === 'cron' ? ['.detent', 'file'] : ['file']);
    await expect(transcript.join('\n')).toMatchFileSnapshot(`words/${noun}.txt`);
  },
);
