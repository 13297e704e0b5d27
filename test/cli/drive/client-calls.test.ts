import { describe, expect, it } from 'vitest';
import { answering, at, hasTerminals, newWorkspace, screen, type Workspace } from '../../support/cli.ts';
import { type MockProvider, textOf } from '../../support/mock-provider.ts';
import { describeWith } from '../../support/needs.ts';

const clientTools = [{ name: 'weather', description: 'Weather of a city.' }];

/** A run of a program, which waits for the result of a call that the program performs. */
async function waiting(): Promise<{ workspace: Workspace; provider: MockProvider; runId: string }> {
  const provider = await answering(
    { calls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
    { text: 'Take a coat.' },
  );
  const models = { mock: { baseUrl: provider.baseUrl } };
  const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify({ models }) });
  const { runId } = await workspace.withLibrary(
    (detent) => detent.run('Weather?', { model: 'mock/model', clientTools }).result,
    { models },
  );
  return { workspace, provider, runId };
}

const told = (provider: MockProvider) =>
  provider.requests[1]?.body.messages.filter(({ role }) => role === 'tool').map(textOf);

describe.concurrent('a call that the program of a run performs', () => {
  it('is shown as such, and a person gives its result in place of the program', async () => {
    const { workspace, provider, runId } = await waiting();
    const shown = await workspace.detent(['runs', 'show', runId]);
    expect(shown.stdout).toMatch(/asks +client c2 weather \(the caller of the run performs it\)/);
    const why = await workspace.detent(['runs', 'why', runId]);
    expect(why.stdout).toContain(`detent runs confirm ${runId} c2 --result TEXT`);

    const approved = await workspace.detent(['runs', 'confirm', runId, 'c2', '--approve']);
    expect(approved).toMatchObject({ code: 2, stderr: expect.stringContaining('--result TEXT') });
    const given = await workspace.detent(['runs', 'confirm', runId, 'c2', '--result', 'rain']);
    expect(given).toMatchObject({ code: 0, stdout: 'decided: result\n' });
    const late = await workspace.detent(['runs', 'confirm', runId, 'c2', '--result', 'sun']);
    expect(late).toMatchObject({ code: 1, stdout: 'already decided: result\n' });

    const resumed = await workspace.detent(['runs', 'resume', runId, ...at(provider)]);
    expect(resumed).toMatchObject({ code: 0, stdout: 'Take a coat.\n' });
    expect(told(provider)).toEqual(['rain']);
  });

  it('parks a resumed run, which says what it waits for', async () => {
    const { workspace, provider, runId } = await waiting();
    const parked = await workspace.detent(['runs', 'resume', runId, ...at(provider)]);
    expect(parked).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`run ${runId} is parked and waits for results of its client`),
    });
    const both = await workspace.detent(['runs', 'confirm', runId, 'c2', '--result', 'rain', '--reject']);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--result TEXT') });
    const closed = await workspace.detent(['runs', 'confirm', runId, 'c2', '--reject']);
    expect(closed).toMatchObject({ code: 0, stdout: 'decided: reject\n' });
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing').concurrent(
  'such a call on a terminal',
  () => {
    it('can be given a result in place', async () => {
      const { workspace, provider, runId } = await waiting();
      const live = workspace.onTerminal(['runs', 'resume', runId, ...at(provider)]);
      const seen = await live.saw('stdout', /the client performs it: .*\? $/);
      expect(screen(seen)).toContain('weather');
      live.write('give\r');
      await live.saw('stdout', /its result \(may be empty\): $/);
      live.write('rain\r');
      expect((await live.ended).code).toBe(0);
      expect(told(provider)).toEqual(['rain']);
    });
  },
);
