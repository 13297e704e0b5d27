import type { CommitScope } from '../../engine/machine-host.ts';
import {
  type AssistantBody,
  bodyText,
  type StoredMessage,
  type SummaryBody,
  type ToolBody,
  type UserBody,
} from '../../records/messages.ts';
import type { Program } from '../../store/program.ts';
import type { MessageRole } from '../../store/rows.ts';
import { ask } from '../statements.ts';

/** Writes one message in the commit of its transition, with known secrets taken out. */
export function* writeMessage(
  scope: CommitScope,
  role: MessageRole,
  body: UserBody | AssistantBody | ToolBody | SummaryBody,
): Program<void> {
  const { row, seq, at } = scope;
  yield* ask('insertMessage', {
    session: row.session,
    run: row.pk,
    tenant: row.tenant,
    seq,
    i: scope.nextMessage(),
    role,
    body: scope.redact(bodyText({ role, body } as StoredMessage)),
    at,
  });
}
