import type { CommandLimits } from './sandbox.ts';

/** High enough for compilers and test suites, low enough to protect the machine. */
export const defaultLimits: CommandLimits = {
  processes: 400,
  fileBytes: 1024 ** 3,
  memoryBytes: 4 * 1024 ** 3,
  openFiles: 1_024,
  temporaryBytes: 512 * 1024 ** 2,
};
