import { callName, decidedOf, type Question } from '../store/stored-call.ts';
import type { LogLine, Moved } from './run-lines.ts';

/**
 * The log lines of what a transition asked people, and of what was decided with it: who, by which rule, after how long.
 *
 * @param questions all of the run
 */
export function waitLinesOf({ at }: Pick<Moved, 'at'>, questions: readonly Question[]): LogLine[] {
  return questions.flatMap((question): LogLine[] => {
    const { call, kind, name: tool, why: rule, askedAt } = question;
    const asked = { callId: callName(call), kind, tool, rule };
    const decided = decidedOf(question);
    if (decided === null)
      return askedAt === at ? [{ level: 'info', message: 'run waits', fields: asked }] : [];
    const { verdict, by, decidedAt, waitedMs } = decided;
    const fields = { ...asked, verdict, by, waitedMs };
    return decidedAt === at ? [{ level: 'info', message: 'run decided', fields }] : [];
  });
}
