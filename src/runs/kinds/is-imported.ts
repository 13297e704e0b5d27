import type { RunRow } from '../../store/rows.ts';

/** The machine of imported runs. */
export const importedId = 'imported';

/** Whether a run was imported from a file. The rows of its log are that file's lines and cannot be folded. */
export function isImported({ machine }: Pick<RunRow, 'machine'>): boolean {
  return machine === importedId;
}
