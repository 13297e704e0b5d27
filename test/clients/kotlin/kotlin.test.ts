import { spawn } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { noJdk } from '../../../scripts/build-java.ts';
import { blocksOf } from '../../docs/markdown.ts';
import { served } from '../../gateway/support.ts';
import { temporaryWorkspace, tool } from '../../support/detent.ts';
import { describeWith } from '../../support/needs.ts';
import { readClass } from '../java/class-file.ts';
import { builtJava, quickStart } from '../java/support.ts';
import { compileKotlin, kotlinCompiler } from './compiler.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Why nothing in Kotlin can be compiled here; null where it can. */
function missing(): string | null {
  if (noJdk !== null) return noJdk;
  try {
    kotlinCompiler();
    return null;
  } catch (error) {
    return `no Kotlin compiler: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}

const why = missing();

describeWith(why === null, why ?? '')('an app in Kotlin', () => {
  it('streams, confirms, and stops to watch without ending the run', async () => {
    const folder = await temporaryWorkspace();
    const classes = join(folder, 'classes');
    const page = blocksOf('docs/kotlin.md', 'kotlin').map(({ text }, i) => {
      const file = join(folder, `Page${i}.kt`);
      writeFileSync(file, text);
      return file;
    });
    const sources = [
      join(root, 'clients/kotlin/Detent.kt'),
      join(import.meta.dirname, 'src/KotlinMain.kt'),
      ...page,
    ];
    const classPath = compileKotlin(sources, classes, builtJava().jar);
    const versions = globSync('**/*.class', { cwd: classes }).map((file) => {
      return readClass(readFileSync(join(classes, file))).version;
    });
    expect(new Set(versions)).toEqual(new Set([52]));

    const leave = Promise.withResolvers<void>();
    const count = tool('count', {
      sideEffect: 'readonly',
      async run() {
        await leave.promise;
        return 'counted';
      },
    });
    const pay = tool('pay', { sideEffect: 'unsafe', confirm: 'user', run: () => 'paid' });
    const { url, token, detent } = await served(
      [
        { text: 'I pay. ', toolCalls: [{ name: 'pay', arguments: {} }] },
        { text: 'Paid, 你好.' },
        { toolCalls: [{ name: 'count', arguments: {} }] },
        { text: 'Counted.' },
        { error: { message: 'no', retryable: false } },
        { toolCalls: [{ name: 'camera', arguments: {} }] },
        { toolCalls: [{ name: 'asleep', arguments: {} }] },
        ({ messages }) => ({
          text: messages.flatMap((one) => (one.role === 'tool' ? one.text : [])).join('|'),
        }),
      ],
      { tools: { define: [pay, count] } },
    );
    const args = [
      'KotlinMainKt',
      url,
      await token({ scopes: ['talk'], userId: 'bob' }),
      join(folder, 'kept'),
    ];
    const app = spawn('java', [...quickStart, '-cp', classPath, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void app.kill('SIGKILL'));
    const said = new Map<string, unknown>();
    for await (const line of createInterface({ input: app.stdout })) {
      const { what, value } = JSON.parse(line) as { what: string; value: unknown };
      said.set(what, value);
      if (what !== 'left') continue;
      // Its collector has left, and the run is still at work.
      const run = String(said.get('counting'));
      expect(await detent.runs.show(run)).toMatchObject({ status: 'running' });
      leave.resolve();
      app.stdin.write('\n');
    }
    const { counting, failed, asked, ...rest } = Object.fromEntries(said);
    expect(await detent.runs.show(String(counting))).toMatchObject({ status: 'done', text: 'Counted.' });
    expect(failed).toEqual(expect.stringMatching(/^[A-Z_]+$/));
    expect(asked).toMatch(/a fern.*took longer than 500 ms/);
    expect(rest).toEqual({
      streamed: 'I pay. Paid, 你好.',
      'collected again': 0,
      left: true,
      heard: 'Counted.',
      'tool cancelled': true,
      synced: 'done',
      state: 'ONLINE',
      threads: [],
    });
    const shown = await detent.sessions.show('bob:talk');
    expect(JSON.stringify(shown.conversation)).toContain('too dear');
  });
});
