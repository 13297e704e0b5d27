import type { ClientEvent, RunDelta, RunEvent } from '#src/client/index.ts';
import { Draft } from './draft.ts';
import { type Content, type RunStory, stayOf } from './entries.ts';
import { asked, called, decided, type FoldOptions, type Of, settled, start } from './fold-calls.ts';

export type { FoldOptions };

/**
 * Tells a story on. The events of a run, in their order and each once, give the same story in however many parts they come; pieces of
 * answers between them only tell earlier what `assistant.message` says as a whole.
 */
export function foldRun(
  story: RunStory,
  events: readonly ClientEvent[],
  options: FoldOptions = {},
): RunStory {
  if (events.length === 0) return story;
  const draft = new Draft(story);
  for (const event of events) {
    if ('seq' in event) tell(draft, event, options);
    else piece(draft, event);
  }
  return draft.story;
}

function tell(draft: Draft, event: RunEvent, options: FoldOptions): void {
  const { story } = draft;
  const { seq, at } = event;
  if (event.last) story.seq = seq;
  switch (event.event) {
    case 'lifecycle.start':
      story.startedAt = at;
      story.workflow = event.payload.workflow ?? null;
      break;
    case 'state.changed':
      moved(draft, event, options);
      break;
    case 'workflow.event': {
      const { stay } = draft;
      if (stay) draft.change(stay).content.push({ type: 'came', ...event.payload });
      break;
    }
    case 'user.message': {
      const { content: text, attachments = [], job = null } = event.payload;
      const stay = draft.stay;
      const isNew = stay?.fromSeq === seq;
      // Before it began, and to a person of the staff, nobody steers.
      const isUsers = seq <= 1 || story.isImported || story.takeover !== null || story.startedAt === null;
      const kind = isUsers ? 'user' : 'steer';
      const content: Content[] = [{ type: 'said', text, attachments, job }];
      draft.add(
        { kind, stay: stay?.stay ?? 'idle', fromSeq: seq, toSeq: seq, at, endedAt: at, content },
        isNew ? stay : null,
      );
      break;
    }
    case 'staff.message': {
      const { content: text, name = null, by = null } = event.payload;
      if (story.takeover) story.takeover = { ...story.takeover, name: name ?? story.takeover.name };
      const content: Content[] = [{ type: 'staff', text, by, name }];
      draft.add({ kind: 'staff', stay: 'taken', fromSeq: seq, toSeq: seq, at, endedAt: at, content });
      break;
    }
    case 'takeover.changed':
      heldBy(draft, event);
      break;
    case 'step.begin':
      if (draft.stay?.isAnswered) enter(draft, 'thinking', seq, at);
      break;
    case 'assistant.message':
      answered(draft, event);
      break;
    case 'step.interrupted':
      brokeOff(draft, event);
      break;
    case 'usage': {
      const target = draft.stayIn('thinking', 'compacting');
      if (target) draft.change(target).usage = event.payload.call;
      story.total = event.payload.total;
      break;
    }
    case 'tool.call':
      called(draft, event, options);
      break;
    case 'tool.confirm_request':
    case 'tool.client_request':
    case 'question.asked':
      asked(draft, event);
      break;
    case 'tool.confirm_resolved':
    case 'tool.client_resolved':
    case 'question.answered':
      decided(draft, event, options);
      break;
    case 'tool.result':
      settled(draft, event, options);
      break;
    case 'todo.updated': {
      const newest = story.calls.findLast((callId) => draft.call(callId)?.endedAt === at);
      if (newest !== undefined) draft.changeCall(newest, { todo: event.payload.items });
      break;
    }
    case 'artifact.created':
      draft.changeCall(event.payload.callId, { artifact: event.payload.artifact });
      break;
    case 'skill.activated':
      draft.changeCall(event.payload.callId, { skill: event.payload.name });
      break;
    case 'subagent.started':
      draft.changeCall(event.payload.callId, { subRun: event.payload.runId });
      break;
    case 'memory.flush':
    case 'compaction.end': {
      const target = draft.stayIn('compacting');
      if (!target) break;
      const { payload } = event;
      if ('lines' in payload) draft.change(target).content.push({ type: 'flush', ...payload });
      else
        draft
          .change(target)
          .content.push({ type: 'compaction', error: payload.error, summary: payload.summary ?? null });
      break;
    }
    case 'lifecycle.end':
    case 'lifecycle.error': {
      const { status, outcome, content: text } = event.payload;
      const { total, startedAt } = story;
      const ms = startedAt === null ? null : at - startedAt;
      const error = 'error' in event.payload ? event.payload.error : null;
      // The last state of a chart says nothing about how its run ended.
      if (story.workflow !== null) enter(draft, status, seq, at);
      const end = draft.stay;
      story.streaming = null;
      story.endedAt = at;
      if (end) draft.change(end).content.push({ type: 'ended', status, outcome, error, text, total, ms });
    }
  }
}

function moved(
  draft: Draft,
  { seq, at, payload: { from, to, event } }: Of<'state.changed'>,
  options: FoldOptions,
): void {
  const { story } = draft;
  if (story.workflow !== null) {
    movedInChart(draft, seq, at, to);
    return;
  }
  const name = stayOf(to);
  const before = draft.stay;
  story.path = to;
  // The lines of a history from a file are in its log as transitions of a run that is done.
  story.isImported ||= to === 'done' && from === 'idle' && event !== 'run.start';
  if (story.isImported) {
    if (event === 'assistant.message')
      draft.add({ kind: 'stay', stay: 'thinking', fromSeq: seq, toSeq: seq, at, endedAt: at });
    return;
  }
  if (before && before.stay === name) return;
  enter(draft, name, seq, at);
  if (name === 'tooling') start(draft, at, options);
}

/** Of a takeover. A run that it has cut short is told of it, too, and its end says so. */
function heldBy(draft: Draft, { payload }: Of<'takeover.changed'>): void {
  const { state, runId, by = null } = payload;
  const { story, stay } = draft;
  if (runId !== story.runId) return;
  if (state !== 'over') story.takeover = { state, by, name: story.takeover?.name ?? null };
  if (stay) draft.change(stay).content.push({ type: 'held', state, by });
}

/** States in parentheses are none of a chart: how the run ended follows as an event of its own. */
function movedInChart(draft: Draft, seq: number, at: number, to: string): void {
  draft.story.path = to;
  if (!to.startsWith('(') && draft.stay?.stay !== to) enter(draft, to, seq, at, true);
}

function enter(draft: Draft, stay: string, seq: number, at: number, isOfChart = false): void {
  const { story } = draft;
  const before = draft.stay;
  if (before) Object.assign(draft.change(before), { toSeq: seq, endedAt: at });
  const isEnd = !isOfChart && (stay === 'done' || stay === 'failed' || stay === 'cancelled');
  const times = isEnd ? { toSeq: seq, endedAt: at } : {};
  draft.add({ kind: isEnd ? 'end' : 'stay', stay, isOfChart, fromSeq: seq, at, ...times });
  story.before = before?.stay ?? null;
  story.counts = { ...story.counts, [stay]: (story.counts[stay] ?? 0) + 1 };
}

function piece(draft: Draft, delta: RunDelta): void {
  // The view of the run has who performs a call.
  if (delta.event === 'tool.client_claimed') return;
  const { effectId } = delta.payload;
  const entry =
    draft.newest((one) => one.content.some((part) => isAnswer(part, effectId))) ?? draft.stayIn('thinking');
  if (!entry) return;
  const { content } = draft.change(entry);
  if (delta.event === 'assistant.reset') {
    withdraw(content, effectId);
    return;
  }
  draft.story.streaming = effectId;
  const type = delta.event === 'assistant.reasoning' ? 'reasoning' : 'text';
  const at = content.findLastIndex(
    (part) => part.type === type && part.effectId === effectId && !part.isWhole,
  );
  const had = content[at];
  const { offset, content: more } = delta.payload;
  const text = had && 'text' in had ? had.text.slice(0, offset) + more : more;
  const isRefusal = delta.event === 'assistant.delta' && delta.payload.contentType === 'refusal';
  const part: Content =
    type === 'text'
      ? { type, effectId, text, isWhole: false, isRefusal }
      : { type, effectId, text, isWhole: false };
  if (at < 0) content.push(part);
  else content[at] = part;
}

function isAnswer(part: Content, effectId: number): boolean {
  return (part.type === 'text' || part.type === 'reasoning') && part.effectId === effectId;
}

/** Takes the words of a model call back: they stay to be seen, as withdrawn. */
function withdraw(content: Content[], effectId: number): void {
  const words = { text: '', reasoning: '' };
  const kept = content.filter((part) => {
    if (part.type === 'text' && part.effectId === effectId) words.text += part.text;
    else if (part.type === 'reasoning' && part.effectId === effectId) words.reasoning += part.text;
    else return true;
    return false;
  });
  content.splice(0, content.length, ...kept);
  if (words.text || words.reasoning) content.push({ type: 'withdrawn', effectId, ...words, isLogged: false });
}

function answered(draft: Draft, { payload }: Of<'assistant.message'>): void {
  const { effectId, content: words, reasoning, refusal, model } = payload;
  draft.story.model = model;
  draft.story.streaming = null;
  draft.story.calls = [];
  const target =
    draft.newest((one) => one.content.some((part) => isAnswer(part, effectId))) ?? draft.stayIn('thinking');
  if (!target) return;
  const entry = draft.change(target);
  const { content } = entry;
  entry.isAnswered = true;
  const rest = content.filter(
    (part) =>
      !isAnswer(part, effectId) &&
      // What was taken back only because pieces were lost on the way came again.
      !(
        part.type === 'withdrawn' &&
        part.effectId === effectId &&
        !part.isLogged &&
        words.includes(part.text)
      ),
  );
  const text = words || refusal;
  content.splice(0, content.length, ...rest);
  if (reasoning) content.push({ type: 'reasoning', effectId, text: reasoning, isWhole: true });
  if (text) content.push({ type: 'text', effectId, text, isWhole: true, isRefusal: words === '' });
}

function brokeOff(draft: Draft, { payload }: Of<'step.interrupted'>): void {
  const { effectId, isAskedAgain, error, withdrawn } = payload;
  const said = draft.stayIn('thinking');
  if (said && isAskedAgain) {
    const { content } = draft.change(said);
    withdraw(content, effectId);
    const at = content.findLastIndex((part) => part.type === 'withdrawn' && part.effectId === effectId);
    if (at >= 0) content.splice(at, 1);
    if (withdrawn?.content || withdrawn?.reasoning) {
      const { content: text, reasoning } = withdrawn;
      content.push({ type: 'withdrawn', effectId, text, reasoning, isLogged: true });
    }
  }
  draft.story.streaming = null;
  const stay = isAskedAgain ? draft.stay : said;
  if (stay) draft.change(stay).content.push({ type: 'brokeOff', error, isAskedAgain });
}
