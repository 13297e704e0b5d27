import { DetentError } from '../../../protocol/error.ts';
import { nearestName } from '../../../text/nearest-name.ts';
import type { MachineFile } from '../../settings/machine-files.ts';

/**
 * The file that a person means, by the id of its chart or its path.
 *
 * @throws DetentError `UNKNOWN_WORKFLOW`.
 */
export function fileOf(files: readonly MachineFile[], named: string): MachineFile {
  const path = named.replace(/^\.\//, '');
  const ofId = files.filter(({ workflow }) => workflow?.id === named);
  const found =
    ofId.find(({ reason }) => reason === null) ?? ofId[0] ?? files.find(({ name }) => name === path);
  if (found) return found;
  const known = [...new Set(files.flatMap(({ workflow }) => workflow?.id ?? []))];
  const nearest = nearestName(named, known);
  throw new DetentError(
    'UNKNOWN_WORKFLOW',
    `there is no workflow ${JSON.stringify(named)} in machines/${nearest ? `; did you mean "${nearest}"?` : `; there are: ${known.join(', ') || 'none'}`}`,
    { details: { id: named, known } },
  );
}

/** The file of a workflow that can be run. @throws DetentError `UNKNOWN_WORKFLOW`, `INVALID_WORKFLOW`. */
export function usableFile(files: readonly MachineFile[], id: string): MachineFile {
  const file = fileOf(files, id);
  if (file.reason === null) return file;
  throw new DetentError('INVALID_WORKFLOW', `${file.name} is not used: ${file.reason}`, {
    details: { file: file.name },
  });
}
