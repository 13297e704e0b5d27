import { expect } from 'vitest';
import type { RunEvent } from '../../../src/index.ts';
import { undescribed } from '../../support/described-events.ts';

/** What holds for the events of every run, ended or not. */
export function expectLawful(runId: string, events: readonly RunEvent[]): void {
  const problems: string[] = [];
  const problem = (what: string, { seq, index, event }: RunEvent) =>
    problems.push(`${runId} seq ${seq}.${index} ${event}: ${what}`);
  const open = new Map<string, { asked: boolean }>();
  let step = 0;
  let before: RunEvent | null = null;
  // A chart calls its states, the final ones among them, as it likes.
  const isFlow = events.some(
    ({ event, payload }) => event === 'state.changed' && payload.from === '(queued)',
  );
  let path = isFlow ? '(queued)' : 'idle';
  for (const event of events) {
    const isFirst = before === null || before.last;
    const follows = isFirst
      ? event.index === 0 && event.seq === (before?.seq ?? 0) + 1
      : event.index === (before?.index ?? 0) + 1 && event.seq === before?.seq;
    if (!follows) problem('is not the next one', event);
    for (const error of undescribed({ ...event, type: 'event' })) problem(error, event);
    if (event.runId !== runId) problem(`is of ${event.runId}`, event);
    before = event;
    switch (event.event) {
      case 'state.changed':
        if (event.payload.from !== path) problem(`comes from ${event.payload.from}, not ${path}`, event);
        path = event.payload.to;
        break;
      case 'step.begin':
        if (event.payload.stepNo !== step + 1)
          problem(`is step ${event.payload.stepNo} after ${step}`, event);
        break;
      case 'assistant.message':
        if (event.payload.stepNo !== ++step)
          problem(`is of step ${event.payload.stepNo}, not ${step}`, event);
        break;
      case 'tool.call':
        if (open.has(event.payload.callId)) problem('is told twice', event);
        open.set(event.payload.callId, { asked: false });
        break;
      case 'tool.confirm_request':
      case 'question.asked': {
        // A step of a workflow is no call: nothing says of it that it began.
        if (isFlow && !open.has(event.payload.callId)) open.set(event.payload.callId, { asked: false });
        const call = open.get(event.payload.callId);
        if (!call || call.asked) problem('asks about no call, or twice', event);
        if (call) call.asked = true;
        break;
      }
      case 'tool.confirm_resolved':
      case 'question.answered': {
        const call = open.get(event.payload.callId);
        if (!call?.asked) problem('answers no question', event);
        if (call) call.asked = false;
        if (isFlow) open.delete(event.payload.callId);
        break;
      }
      case 'tool.result': {
        const call = open.get(event.payload.callId);
        if (!call) problem('is of no call', event);
        if (call?.asked) problem('comes while a person is asked', event);
        open.delete(event.payload.callId);
        break;
      }
      case 'lifecycle.end':
      case 'lifecycle.error':
        if (!event.last) problem('is not the last one', event);
    }
  }
  if (before && !before.last) problem('is not followed by the last one of its transition', before);
  const isOver = before?.event === 'lifecycle.end' || before?.event === 'lifecycle.error';
  const isEnded = ['done', 'failed', 'cancelled'].includes(path);
  if (before && !isFlow && isOver !== isEnded)
    problem(`says that the run has ${isOver ? '' : 'not '}ended`, before);
  if (isEnded && open.size > 0) problems.push(`${runId}: no result of ${[...open.keys()]}`);
  expect(problems).toEqual([]);
}
