import { describe, expect, it } from 'vitest';
import { newWorkspace } from '../../../support/cli.ts';

/** A workspace with a session that belongs to ada. */
async function hers() {
  const workspace = await newWorkspace();
  await workspace.withLibrary(
    (detent) =>
      detent.run('What is 1 + 1?', { sessionId: 'hers', principal: { userId: 'ada' }, model: 'demo/demo' })
        .result,
  );
  return workspace;
}

describe.concurrent('a session that belongs to a user', () => {
  it.each([['--session', 'hers'], ['--continue']])(
    'is continued for that user by detent run %s',
    async (...flags) => {
      const workspace = await hers();
      const { code, view } = await workspace.json(['run', 'What is 2 + 2?', ...flags]);
      expect({ code, text: view.text }).toEqual({ code: 0, text: expect.stringContaining('4') });
      const owner = await workspace.withLibrary((detent) => detent.runs.ownerOf(view.runId));
      expect(owner).toEqual({ userId: 'ada', sessionId: 'hers' });
    },
  );

  it('is continued for that user by a chat, whose new sessions are of no user', async () => {
    const workspace = await hers();
    const input = 'What is 2 + 2?\n/session fresh\nWhat is 3 + 3?\n/session hers\nWhat is 4 + 4?\n';
    const { code } = await workspace.detent(['chat', '--session', 'hers'], { input });
    expect(code).toBe(0);
    await workspace.withLibrary(async ({ runs, sessions }) => {
      expect(await sessions.ownerOf('fresh')).toEqual({ userId: null });
      expect(await runs.list({ userId: 'ada' })).toHaveLength(3);
      expect(await runs.list({ sessionId: 'fresh' })).toHaveLength(1);
    });
  });

  it('is compacted', async () => {
    const workspace = await hers();
    expect(await workspace.detent(['sessions', 'compact', 'hers'])).toMatchObject({ code: 0 });
  });
});
