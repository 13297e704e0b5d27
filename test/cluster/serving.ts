import { onTestFinished } from 'vitest';
import { startServing, withModel } from '../cli/commands/serve/support.ts';
import { bareWorkspace, type Live, type Workspace } from '../support/cli.ts';
import { newDatabase } from '../support/postgres.ts';

/** A workspace whose runs are in a database of the server. */
export async function workspaceOnServer(
  baseUrl: string,
): Promise<{ workspace: Workspace; url: string; token: string }> {
  const url = await newDatabase();
  const env = { DATABASE_URL: url };
  const files = { 'detent.config.json': JSON.stringify(withModel(baseUrl)) };
  const workspace = await bareWorkspace(files, { env });
  const scopes = ['read', 'write', 'approve'] as const;
  const { token } = await workspace.withLibrary((detent) => detent.tokens.create({ scopes }), { env });
  const start: Workspace['start'] = (args, options) => workspace.start(args, { env, ...options });
  return { workspace: { ...workspace, start }, url, token };
}

export const gateway = (workspace: Workspace) => startServing(workspace, ['--role', 'gateway']);

interface WorkerProcess extends Live {
  url: string;
}

export async function worker(workspace: Workspace): Promise<WorkerProcess> {
  const live = workspace.start(['serve', '--role', 'worker', '--port', '0', '--json']);
  onTestFinished(async () => {
    live.kill('SIGKILL');
    await live.ended;
  });
  // What the schedule does may stand behind it.
  const [line = ''] = (await live.saw('stdout', /\n/)).split('\n');
  return { ...live, url: JSON.parse(line).url };
}
