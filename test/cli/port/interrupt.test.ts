import { expect, it } from 'vitest';
import { answering, bareWorkspace, newWorkspace } from '../../support/cli.ts';
import { itDeep } from '../../support/deep.ts';
import { startServing, withModel } from '../commands/serve/support.ts';

it('Ctrl-C cancels the run at the gateway, and nothing is written where the command runs', async () => {
  const provider = await answering({ text: ['Never'], ending: 'hang' });
  const config = { 'detent.config.json': JSON.stringify(withModel(provider.baseUrl)) };
  const served = await startServing(await newWorkspace(config));
  const elsewhere = await bareWorkspace();
  const env = { DETENT_TOKEN: served.token };
  const command = elsewhere.start(['run', 'go', '--server', served.url], { env });
  await command.saw('stdout', /Never/);
  command.kill('SIGINT');
  expect(await command.ended).toMatchObject({
    code: 130,
    stderr: expect.stringMatching(/cancelling[\s\S]*was cancelled/),
  });
  const { body } = await served.http('/api/v1/runs');
  expect(body.runs).toMatchObject([{ status: 'cancelled' }]);
  expect(await elsewhere.detent(['runs', 'list'])).toMatchObject({
    stderr: expect.stringContaining('there are no runs here yet'),
  });
});

itDeep('a command goes on where it was when the gateway is started anew', async () => {
  const provider = await answering({ text: ['Cut'], ending: 'hang' }, { text: 'Whole.' });
  const workspace = await newWorkspace({
    'detent.config.json': JSON.stringify(withModel(provider.baseUrl)),
  });
  const first = await startServing(workspace);
  const { port } = new URL(first.url);
  const token = (await workspace.detent(['token', 'create', '--scope', 'read,write'])).stdout.trim();
  const env = { DETENT_TOKEN: token };
  const command = workspace.start(['run', 'go', '--server', first.url], { env });
  await command.saw('stdout', /Cut/);
  first.kill('SIGKILL');
  await first.ended;
  await startServing(workspace, ['--port', port]);
  expect(await command.ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Whole.'),
    stderr: expect.stringContaining('lost the connection'),
  });
});
