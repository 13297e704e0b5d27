import type { CommandLimits } from './sandbox.ts';

/** Wide enough for compilers and test suites, too narrow to take a machine down. */
export const defaultLimits: CommandLimits = {
  processes: 400,
  fileBytes: 1024 ** 3,
  memoryBytes: 4 * 1024 ** 3,
  openFiles: 1_024,
  temporaryBytes: 512 * 1024 ** 2,
};
