import {
  boundsProcesses,
  bubblewrapVersion,
  type FoundBubblewrap,
  findBubblewrap,
  type SandboxChoice,
} from '../../../tools/builtin.ts';
import { type Check, ok, type Subject, warn } from './check.ts';

const subject: Subject = ['sandbox', 'Sandbox'];

/** Checks the sandbox that the shell tool would use. */
export async function checkSandbox(choice: SandboxChoice = 'auto'): Promise<Check> {
  if (choice === 'none')
    return warn(subject, 'none: commands of the shell have all rights of this user', "set sandbox: 'auto'");
  const found = await findBubblewrap();
  const version = found.program === null ? null : await bubblewrapVersion(found.program);
  return describeSandbox(found, version, boundsProcesses(process.getuid?.() ?? -1));
}

/** @param version of the program; null when unknown */
export function describeSandbox(
  found: FoundBubblewrap,
  version: string | null,
  boundsProcesses: boolean,
): Check {
  const program = `bubblewrap ${version ?? 'of unknown version'}`;
  if (!found.works)
    return warn(
      subject,
      `${version === null ? '' : `${program}: `}${found.reason}; there is no shell tool`,
      found.remedy,
    );
  if (boundsProcesses) return ok(subject, `${program}, ${found.program}`);
  return warn(
    subject,
    `${program}, ${found.program}; a command of root may start any number of processes before Linux 6.14`,
    'run Detent as a separate user',
  );
}

/** Warns of root: its shell commands can change root's files even in a sandbox, and its other tools any file. */
export function checkUser(uid: number | undefined): Check {
  const user: Subject = ['user', 'User'];
  if (uid !== 0) return ok(user, uid === undefined ? 'no user ids here' : `uid ${uid}`);
  return warn(user, 'root: its tools can do anything', 'run Detent as a separate user');
}
