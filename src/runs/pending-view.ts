import { parseJson } from '../protocol/json.ts';
import type { PendingView, QuestionView } from '../protocol/run-view.ts';
import { callName } from '../records/call-id.ts';
import type { ConfirmationRow } from '../store/rows.ts';

/** A question to a person, as people see it. */
export function pendingView(row: Pick<ConfirmationRow, 'kind' | 'call' | 'hash' | 'body'>): PendingView {
  const { name, arguments: raw, why, preview, question, asIs } = JSON.parse(row.body) as AskedBody;
  const given = parseJson(raw);
  return {
    kind: row.kind as PendingView['kind'],
    callId: callName(row.call),
    name,
    arguments: given === undefined ? raw : given,
    argumentsHash: row.hash,
    why,
    ...(preview !== undefined && { preview }),
    ...(question && { question }),
    ...(asIs && { asIs }),
  };
}

/** What `confirmations.body` holds. */
interface AskedBody {
  name: string;
  arguments: string;
  why: string;
  preview?: string;
  question?: QuestionView;
  asIs?: true;
}
