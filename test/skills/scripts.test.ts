import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scripted, temporaryWorkspace } from '../support/detent.ts';
import { writeFiles } from '../support/files.ts';
import { describeSandboxed } from '../tools/sandbox/support.ts';
import { skillFile } from './support.ts';

const script =
  '#!/bin/sh\necho "brewing $1"\ntouch "$(dirname "$0")/written" 2>/dev/null || echo "cannot write"\n';

describeSandboxed('the scripts of a skill', () => {
  it.each([
    ['the workspace', 'brewing green'],
    ['the home', 'brewing green\ncannot write'],
  ])('of %s run in the sandbox', async (place, said) => {
    const workspace = await temporaryWorkspace();
    const home = await temporaryWorkspace();
    const folder = place === 'the home' ? join(home, 'skills/tea') : join(workspace, 'skills/tea');
    await writeFiles(folder, { 'SKILL.md': skillFile('tea'), 'scripts/brew.sh': script });
    await writeFiles(home, { 'secret.txt': 'secret' });
    await chmod(join(folder, 'scripts/brew.sh'), 0o755);
    const path = place === 'the home' ? join(folder, 'scripts/brew.sh') : 'skills/tea/scripts/brew.sh';
    const command = `${path} green; cat ${home}/secret.txt`;
    const { detent } = await scripted(
      [
        { toolCalls: [{ name: 'skill', arguments: { name: 'tea' } }] },
        { toolCalls: [{ name: 'shell', arguments: { command } }] },
        { text: 'ok' },
      ],
      { workspace, env: { DETENT_HOME: home }, policy: { approve: 'all' } },
    );
    const { steps } = await detent.run('tea').result;
    const [loaded, ran] = steps.flatMap(({ toolCalls }) => toolCalls);
    expect(loaded?.result).toContain(`Its folder is ${place === 'the home' ? folder : 'skills/tea'}.`);
    expect(ran?.result).toContain(said);
    expect(ran?.result).not.toMatch(/^secret$/m);
  });
});
