import { constants } from 'node:os';
import type { CommandEnd } from '../sandbox/sandbox.ts';

/** The output, followed by how the command ended, in brackets. */
export function shellText(output: string, note: string): string {
  const gap = output === '' || output.endsWith('\n') ? '' : '\n';
  const broken = output.includes('\uFFFD') ? '; \uFFFD stands for bytes that are not UTF-8' : '';
  return `${output}${gap}[${output === '' ? 'no output; ' : ''}${note}${broken}]`;
}

/** `exit code 0 after 1.2 s` */
export function endInWords({ how, code, tookMs }: CommandEnd): string {
  const after = `after ${seconds(tookMs)}`;
  if (how === 'timedOut') return `timed out: ended ${after} with all of its processes`;
  if (how === 'killed') return `ended ${after} with all of its processes, because it was told to`;
  return `exit code ${code}${exitNote(code)} ${after}`;
}

export function seconds(ms: number): string {
  return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;
}

function exitNote(code: number): string {
  if (code === 126) return ' (not executable)';
  if (code === 127) return ' (command not found)';
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  if (signal === 'SIGKILL') return ' (SIGKILL: perhaps out of memory)';
  if (signal === 'SIGXFSZ') return ' (SIGXFSZ: a file grew too large)';
  return signal ? ` (${signal})` : '';
}
