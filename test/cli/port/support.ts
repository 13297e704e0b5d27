import { onTestFinished } from 'vitest';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { serve } from '../../gateway/support.ts';
import { type CliOptions, newWorkspace } from '../../support/cli.ts';

/** A workspace that a gateway in this process serves, with the demo as its model. */
export async function servedWorkspace(files: Record<string, string> = {}) {
  const workspace = await newWorkspace({
    'detent.config.json': JSON.stringify({ model: 'demo/demo' }),
    ...files,
  });
  const { DETENT_HOME } = process.env;
  const detent = createDetent({ workspace: workspace.folder, env: { DETENT_HOME }, model: 'demo/demo' });
  onTestFinished(() => detent.close());
  const { url, token } = await serve(detent);
  const env = { DETENT_TOKEN: await token() };
  const remote = (args: readonly string[], options: CliOptions = {}) =>
    workspace.detent([...args, '--server', url], { ...options, env: { ...env, ...options.env } });
  return { workspace, detent, url, token, remote };
}

/** Without what differs between two runs of the same thing. */
export function alike(text: string): string {
  return text
    .replaceAll(/\b(?:run|ses|chat|job)_[a-z0-9]{16}\b/g, 'ID')
    .replaceAll(/\b\d{13}\b/g, '0')
    .replaceAll(/ --server [^\s"]+/g, '')
    .replaceAll(/, in (?:\d+ (?:days?|h|min|s) ?)+/g, ', soon')
    .replaceAll(/, \d+ s ago\b/g, ', just now');
}
