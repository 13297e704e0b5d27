import type { Detent, RunRequest } from '../../../index.ts';
import type { NamedBytes } from '../../../runtime/requests/attachment-bytes.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import type { Io } from '../../terminal/io.ts';

/** What the commands of a chat work with. */
export interface ChatState {
  readonly io: Io;
  readonly detent: Detent;
  readonly options: CliOptions;
  /** What the next run is asked with. */
  request: RunRequest & { session: string };
  /** The model that the next run uses. */
  model: string;
  /** What goes with the next message. */
  attachments: NamedBytes[];
  /** Names of the skills that a person can use, as they were when the chat began. */
  skills: readonly string[];
  /** The last run that this chat began or carried on. */
  lastRunId: string | null;
}
