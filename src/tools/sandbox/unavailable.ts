import { ToolFailure } from '../../protocol/tool.ts';
import type { MissingSandbox } from './sandbox.ts';

/** The code of every command that is refused because no sandbox works. */
export const sandboxUnavailableCode = 'SANDBOX_UNAVAILABLE';

export function sandboxUnavailable(reason: string): ToolFailure {
  return new ToolFailure(
    sandboxUnavailableCode,
    `commands cannot be run: the sandbox does not work here: ${reason}`,
  );
}

export function unavailableSandbox(reason: string): MissingSandbox {
  return {
    kind: 'unavailable',
    reason,
    reach: 'Commands cannot be run on this machine.',
    start: () => Promise.reject(sandboxUnavailable(reason)),
  };
}
