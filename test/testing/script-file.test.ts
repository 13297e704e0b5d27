import { mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { afterwards } from '../support/afterwards.ts';
import { runHere } from '../support/run-here.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'detent-script-'));
  afterwards(() => rmSync(path, { recursive: true }));
  return path;
}

const env = { PATH: process.env.PATH ?? '', HOME: folder() };

function run(script: unknown, args: readonly string[] = []) {
  const cwd = folder();
  writeFileSync(join(cwd, 'answers.json'), typeof script === 'string' ? script : JSON.stringify(script));
  const detent = (...words: string[]) => runHere([...words, ...args], { cwd, env });
  return { detent, cwd };
}

describe('a script for the command line', () => {
  it('answers from a file, in order, and calls tools', async () => {
    const { detent } = run([
      { toolCalls: [{ name: 'calculator', arguments: { expression: '17 * 23' } }] },
      { text: 'It is 391.' },
    ]);
    for (const _ of [1, 2]) {
      const { stdout, code } = await detent('run', '--quiet', '--model', 'script/answers.json', 'go');
      expect([stdout.trim(), code]).toEqual(['It is 391.', 0]);
    }
  });

  it('goes on in the right place in another process', async () => {
    const { cwd } = run([
      { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] },
      { text: 'Written.' },
    ]);
    const here = { cwd, env: { ...env, DETENT_MODEL: 'script/answers.json' } };
    const parked = await runHere(['run', '--quiet', 'go'], here);
    expect(parked.code).toBe(5);
    const runId = /run_\w+/.exec(parked.stderr)?.[0] ?? '';
    await runHere(['runs', 'confirm', runId, 'c2', '--approve'], here);
    renameSync(join(cwd, 'answers.json'), join(cwd, 'gone.json'));
    const left = await runHere(['runs', 'resume', runId], here);
    expect([left.code, left.stderr]).toEqual([1, expect.stringContaining('so it leaves the run as it is')]);
    renameSync(join(cwd, 'gone.json'), join(cwd, 'answers.json'));
    const { stdout } = await runHere(['runs', 'resume', runId], here);
    expect(stdout).toContain('Written.');
  });

  it('is what "runs show --script" prints of a run, and leads to the same calls and words', async () => {
    const cwd = folder();
    const { stdout } = await runHere(['run', '--json', 'What is 17 * 23?'], { cwd, env });
    const recorded = JSON.parse(stdout);
    const script = await runHere(['runs', 'show', recorded.runId, '--script'], { cwd, env });
    const { detent } = run(script.stdout);
    const replayed = JSON.parse(
      (await detent('run', '--json', '--model', 'script/answers.json', 'go')).stdout,
    );
    const told = ({ steps }: { steps: { text: string; toolCalls: object[] }[] }) =>
      steps.map(({ text, toolCalls }) => [text, toolCalls.map((call) => ({ ...call, id: '' }))]);
    expect(told(replayed)).toEqual(told(recorded));
    expect(told(recorded)[0]?.[1]).toMatchObject([{ name: 'calculator', result: expect.any(String) }]);
  });

  it('fails once with an answer that is an error, and for good when it has no more answers', async () => {
    const { detent } = run([{ error: { message: 'too many requests', retryable: true } }, { text: 'Here.' }]);
    const ok = await detent('run', '--quiet', '--model', 'script/answers.json', 'go');
    expect(ok.stdout.trim()).toBe('Here.');
    const empty = run([]);
    const failed = await empty.detent('run', '--model', 'script/answers.json', 'go');
    expect(failed.stderr).toContain('answers.json has 0 answers, and the run asks for another one');
  });

  it('fails the run that has no tool of the name that it calls', async () => {
    const { detent } = run([{ toolCalls: [{ name: 'calculater', arguments: {} }] }, { text: 'It is 391.' }]);
    const { code, stderr } = await detent('run', '--model', 'script/answers.json', 'go');
    expect(code).toBe(1);
    expect(stderr).toMatch(/answers\.json: an answer calls "calculater", .* did you mean "calculator"\?/);
  });

  it.each([
    ['[', 'is not JSON'],
    [{ text: 'no list' }, 'is not a list of answers'],
    [[{ txt: 'a' }], 'is not a list of answers'],
  ])(
    'refuses the run, and makes none, because of what is wrong with the file %j',
    async (script, problem) => {
      const { detent } = run(script);
      const { code, stderr } = await detent('run', '--model', 'script/answers.json', 'go');
      expect(code).not.toBe(0);
      expect(stderr).toContain(`answers.json ${problem}`);
      expect((await detent('runs', 'list', '--json')).stdout).not.toContain('run_');
    },
  );

  it('refuses the run, and makes none, where there is no such file, and stops no other command', async () => {
    const { detent, cwd } = run([]);
    const elsewhere = ['--workspace', folder()];
    const { code, stderr } = await detent('run', '--model', 'script/other.json', ...elsewhere, 'go');
    expect(code).not.toBe(0);
    expect(stderr).toContain(`other.json: script/FILE names a JSON file by its path from ${cwd}\n`);
    const here = { cwd, env: { ...env, DETENT_MODEL: 'script/other.json' } };
    const { stdout, code: listed } = await runHere(['runs', 'list', '--json'], here);
    expect([stdout.includes('run_'), listed]).toEqual([false, 0]);
  });

  it('does not read a file that is too large for a script', async () => {
    const { detent, cwd } = run([]);
    truncateSync(join(cwd, 'answers.json'), 100_000_000);
    const { stderr } = await detent('run', '--model', 'script/answers.json', 'go');
    expect(stderr).toContain('answers.json has more than 16777216 bytes');
  });
});
