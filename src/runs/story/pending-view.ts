import { parseJson } from '../../protocol/json.ts';
import { type PendingView, reasonOf } from '../../protocol/views.ts';
import { callName, isOpen, type Question } from '../../store/stored-call.ts';

/** Which reason a question or a call gives by its `why`; nothing for the words of a chart. */
export function reasonIn({
  why = '',
  asIs,
}: Partial<Pick<Question, 'why' | 'asIs'>>): Pick<PendingView, 'reason'> {
  const reason = asIs ? null : reasonOf(why);
  return reason ? { reason } : {};
}

/** The open ones of these questions, as people see them. */
export function pendingOf(questions: readonly Question[]): PendingView[] {
  return questions.filter(isOpen).map((question): PendingView => {
    const { kind, call, name, arguments: raw, hash, why, preview, question: words, asIs, decides } = question;
    const { held } = question;
    const given = parseJson(raw);
    return {
      kind,
      callId: callName(call),
      name,
      arguments: given === undefined ? raw : given,
      argumentsHash: hash,
      why,
      ...reasonIn(question),
      ...(preview !== undefined && { preview }),
      ...(words && { question: words }),
      ...(asIs && { asIs }),
      ...(decides && { decides }),
      ...(held && { heldUntil: held.until }),
    };
  });
}
