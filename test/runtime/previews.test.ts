import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../src/testing/index.ts';
import { temporaryWorkspace, withModel } from '../support/detent.ts';

const secret = 'sk-very-secret-value';

/** A run that waits for a person to approve the writing of `list.txt`. */
async function waiting(before: string) {
  const workspace = await temporaryWorkspace();
  const file = join(workspace, 'list.txt');
  await writeFile(file, before);
  const args = { path: 'list.txt', content: 'milk\neggs\n' };
  const model = scriptedModel([{ toolCalls: [{ name: 'write_file', arguments: args }] }, { text: 'done' }]);
  const detent = withModel(model, { workspace, env: { SHOP_TOKEN: secret } });
  const handle = detent.run('write it');
  const view = await handle.result;
  return { handle, file, view };
}

describe('a run that waits for a person', () => {
  it('shows what the call would change, without known secrets', async () => {
    const { view } = await waiting(`token ${secret}\nmilk\n`);
    expect(view.pending[0]?.preview).toBe(
      '--- list.txt\n+++ list.txt\n@@ -1,2 +1,2 @@\n-token [redacted:SHOP_TOKEN]\n milk\n+eggs',
    );
  });

  it('changes nothing but what was shown', async () => {
    const { handle, view, file } = await waiting('milk\n');
    await writeFile(file, 'milk\nsomebody else was here\n');
    await handle.confirm(view.pending[0]?.callId ?? '', { verdict: 'approve' });
    const ended = await handle.result;
    expect(ended.steps[0]?.toolCalls[0]).toMatchObject({ status: 'failed', code: 'FILE_CHANGED' });
    expect(await readFile(file, 'utf8')).toContain('somebody else');
  });

  it('changes what was shown', async () => {
    const { handle, view, file } = await waiting('milk\n');
    await handle.confirm(view.pending[0]?.callId ?? '', { verdict: 'approve' });
    await handle.result;
    expect(await readFile(file, 'utf8')).toBe('milk\neggs\n');
  });
});
