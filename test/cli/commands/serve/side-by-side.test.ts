import { describe, expect, it } from 'vitest';
import { answering, newWorkspace } from '../../../support/cli.ts';
import { toolsConfigWith } from '../../../support/tools-config.ts';
import { startServing, withModel } from './support.ts';

/** A run that works in a tool until there is a file `go`, then asks about another call, then answers. */
async function workspaceWithSlowRun() {
  const provider = await answering(
    { calls: [{ name: 'slow', arguments: { text: 'a' } }] },
    { calls: [{ name: 'note', arguments: { text: 'b' } }] },
    { text: 'All done.' },
  );
  const config = toolsConfigWith(withModel(provider.baseUrl));
  const workspace = await newWorkspace({ 'detent.config.ts': config });
  const said = (request: number) => JSON.stringify(provider.requests[request]?.body.messages);
  return { workspace, provider, said, letGo: () => workspace.write('go', '') };
}

describe('detent serve beside other commands on one database', () => {
  it('shows, steers and approves a run that the command line drives', async () => {
    const { workspace, said, letGo } = await workspaceWithSlowRun();
    const served = await startServing(workspace);
    const client = await served.connect();
    const command = workspace.start(['run', 'go', '--session', 'tea']);
    await command.saw('stderr', /slow/);
    const { runs } = await client.ask<{ runs: { runId: string; status: string }[] }>('run.list');
    expect(runs).toMatchObject([{ status: 'running', sessionId: 'tea' }]);
    const runId = String(runs[0]?.runId);
    await client.ask('run.subscribe', { runId });
    await client.saw(({ event }) => event === 'tool.call');
    await client.ask('agent.steer', { runId, message: 'with milk' });
    await letGo();
    const asked = await client.saw(({ event }) => event === 'tool.confirm_request');
    expect(said(1)).toContain('with milk');
    expect(await command.ended).toMatchObject({ code: 5 });
    const { callId } = asked.payload as { callId: string };
    await client.ask('tool.confirm', { runId, callId, verdict: 'approve' });
    const ended = await client.saw(({ event }) => event === 'lifecycle.end');
    expect(ended).toMatchObject({ runId, payload: { content: 'All done.' } });
  });

  it('drives a run that the command line shows, steers and approves', async () => {
    const { workspace, said, letGo } = await workspaceWithSlowRun();
    const served = await startServing(workspace);
    const client = await served.connect();
    const { runId } = await client.ask('agent.run', { prompt: 'go', sessionId: 'tea' });
    await client.saw(({ event }) => event === 'tool.call');
    const follower = workspace.start(['runs', 'follow', String(runId), '--jsonl']);
    await follower.saw('stdout', /model\.done/);
    const steering = workspace.start(['run', '--session', 'tea', '--mode', 'steer', '--jsonl', 'with milk']);
    await steering.saw('stdout', /run\.message/);
    await letGo();
    const asked = await client.saw(({ event }) => event === 'tool.confirm_request');
    expect(said(1)).toContain('with milk');
    expect(await steering.ended).toMatchObject({ code: 5 });
    const { callId } = asked.payload as { callId: string };
    const confirmed = await workspace.json(['runs', 'confirm', String(runId), callId, '--approve']);
    expect(confirmed).toMatchObject({ code: 0, view: { applied: true, verdict: 'approve' } });
    await client.saw(({ event }) => event === 'lifecycle.end');
    expect(await follower.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('All done.') });
  });
});
