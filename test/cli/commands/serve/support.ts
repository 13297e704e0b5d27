import { onTestFinished } from 'vitest';
import { connectFrames, type FrameClient } from '../../../gateway/support.ts';
import type { CliOptions, Live, Workspace } from '../../../support/cli.ts';

/** For a server that no test kills or looks for the end of: in the process of the test. */
export const here = { ownProcess: false };

/** A `detent serve` process that listens. */
export interface ServedProcess extends Live {
  readonly url: string;
  readonly token: string;
  readonly loginUrl: string;
  /** An HTTP request with the token of the process. */
  http(path: string, body?: unknown): Promise<{ status: number; body: Fields; headers: Headers }>;
  connect(): Promise<FrameClient>;
}

type Fields = Record<string, string> & { runs: { runId: string; status: string }[] };

/** Starts `detent serve --port 0 --json`, and waits until it listens. It is stopped at the end of the test, or `afterwards`. */
export async function startServing(
  workspace: Workspace,
  args: readonly string[] = [],
  options: CliOptions = {},
  atEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<ServedProcess> {
  const live = workspace.start(['serve', '--port', '0', '--json', ...args], options);
  atEnd(async () => {
    live.kill('SIGKILL');
    await live.ended;
  });
  const line = await live.saw('stdout', /\n/);
  const { url, token, loginUrl, pid } = JSON.parse(line);
  if (pid !== live.pid) throw new Error(`it says that its pid is ${pid}, not ${live.pid}`);
  return {
    ...live,
    url,
    token,
    loginUrl,
    async http(path, body) {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Fields, headers: response.headers };
    },
    connect: () => connectFrames(url, token),
  };
}

/** The configuration that names the mock provider, so that every process in the workspace has the same model. */
export function withModel(baseUrl: string) {
  return { model: 'mock/model', models: { mock: { baseUrl } } };
}
