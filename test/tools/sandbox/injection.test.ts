import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unconfined } from '../../../src/tools/sandbox/find-sandbox.ts';
import payloads from '../../fixtures/security/command-injection.json' with { type: 'json' };
import { someOf } from '../../support/deep.ts';
import { inSizes } from '../../support/size.ts';
import { temporaryFolder } from '../helpers.ts';
import { describeSandboxed, run } from './support.ts';

const secret = 'the secret of the house';

/** A workspace, and beside it a program that leaves a trace when anybody runs it. */
async function canary() {
  const folder = await temporaryFolder();
  const outside = join(folder, 'outside');
  await mkdir(join(folder, 'workspace'));
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), secret);
  await writeFile(join(outside, 'canary'), `#!/bin/sh\necho sung; touch "${outside}/sung"\n`);
  await chmod(join(outside, 'canary'), 0o755);
  return { folder, workspace: join(folder, 'workspace'), outside };
}

/** What a payload goes for becomes what must not be touched. */
function aimedAt(payload: string, outside: string): string {
  return payload
    .replaceAll('%0a', '\n')
    .replaceAll('%0A', '\n')
    .replaceAll('%20', ' ')
    .replaceAll('\\n', '\n')
    .replaceAll('/etc/passwd', `${outside}/secret`)
    .replaceAll('/bin/ls -al', `/bin/cat ${outside}/secret`)
    .replaceAll(/(\/usr\/bin\/)?\bid\b|\bping [^\n&`]*|\bnetstat -a\b/g, `${outside}/canary`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

describeSandboxed('command injection', () => {
  it('has cases', () => {
    expect(payloads).toHaveLength(26);
    expect(payloads.every((payload) => /outside\/(canary|secret)/.test(aimedAt(payload, '/outside')))).toBe(
      true,
    );
  });

  it.each(someOf(payloads, 8))(
    '%j touches nothing outside: as a command, in an argument, in the name of the workspace',
    async (payload) => {
      const { folder, workspace, outside } = await canary();
      const aimed = aimedAt(payload, outside);
      const named = join(folder, payload.replaceAll('/', '\u2215'));
      await mkdir(named);
      const said = [
        await run(aimed, { workspace, timeoutMs: 5_000 }),
        await run(`echo ${aimed}`, { workspace, timeoutMs: 5_000 }),
        await run(`printf %s ${quoted(aimed)}`, { workspace }),
        await run(`pwd`, { workspace: named }),
      ];
      // What it is quoted in prints it, and prints no more.
      expect(said[2]).toMatchObject({ code: 0, text: aimed });
      expect(said[3]).toMatchObject({ code: 0, text: `${named}\n` });
      for (const { text } of said) expect(text).not.toContain(secret);
      expect(said.map(({ text }) => text).join()).not.toMatch(/^sung$/m);
      expect((await readdir(outside)).sort()).toEqual(['canary', 'secret']);
      expect(await readFile(join(outside, 'secret'), 'utf8')).toBe(secret);
    },
  );

  it('would touch it without the sandbox', async () => {
    const { workspace, outside } = await canary();
    const { text } = await run(
      `echo ${aimedAt(';id', outside)}; cat ${outside}/secret`,
      { workspace },
      unconfined(),
    );
    expect(text).toBe(`\nsung\n${secret}`);
    expect(await readdir(outside)).toContain('sung');
  });

  it('finds no way through any text that is quoted', async () => {
    const { workspace } = await canary();
    const text = fc.string({
      unit: fc.constantFrom(...`'"\`$(){}<>|&;\\!*?[]~# \t\n-=%aé漢`),
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 5 }), async (words) => {
        const { text } = await run(`printf '<%s>' ${words.map(quoted).join(' ')}`, { workspace });
        expect(text).toBe(words.length === 0 ? '<>' : words.map((word) => `<${word}>`).join(''));
      }),
      { numRuns: inSizes({ usual: 4, deep: 15, full: 25 }) },
    );
  });
});
