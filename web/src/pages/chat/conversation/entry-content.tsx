import type { ComponentChildren } from 'preact';
import { withoutTextFiles } from '#src/protocol/content.ts';
import { parseJson } from '#src/protocol/json.ts';
import { beforeSkill } from '#src/protocol/ports.ts';
import { timeOfDay } from '../../../base/format.ts';
import { may, ownName } from '../../../data/connection.ts';
import type { Content, Entry } from '../../../data/conversation/entries.ts';
import { JsonView } from '../../../parts/json-view.tsx';
import { Markdown } from '../../../parts/markdown/markdown.tsx';
import { visible, visibleActor } from '../../../parts/visible.ts';
import { errorInWords } from '../../../parts/why/finding.ts';
import { SkillChip } from '../skill-chip.tsx';
import { t } from '../words.ts';
import { Attachments } from './attachments.tsx';
import { EditMessage } from './edit-message.tsx';
import { RunEnd } from './run-end.tsx';
import { StreamedText } from './streamed-text.tsx';
import { ToolCard } from './tool-card.tsx';

interface EntryContentProps {
  entry: Entry;
  isLive: boolean;
  /** `act` and `observe`: the calls alone, and what came of them. */
  part: 'all' | 'act' | 'observe';
}

/** What hangs from a mark. */
export function EntryContent({ entry, isLive, part }: EntryContentProps) {
  const calls = entry.content.flatMap((one) => (one.type === 'call' ? [one.call] : []));
  const others = entry.content.filter(({ type }) => type !== 'call');
  if (part === 'observe')
    return (
      <div class="calls">
        {calls
          .filter(({ result }) => result !== null)
          .map((call) => (
            <ToolCard key={call.callId} call={call} opens />
          ))}
      </div>
    );
  return (
    <>
      {others.map((content, at) => (
        <Part key={`${content.type} ${at}`} content={content} entry={entry} isLive={isLive} />
      ))}
      {calls.length > 0 && (
        <div class="calls">
          {calls.map((call) => (
            <ToolCard key={call.callId} call={call} withResult={part === 'all'} />
          ))}
        </div>
      )}
      {entry.stay === 'compacting' && isLive && <p class="quiet">{t.compacting}</p>}
      {isLive && <AnswerLength entry={entry} />}
    </>
  );
}

function Part({
  content,
  entry,
  isLive,
}: {
  content: Content;
  entry: Entry;
  isLive: boolean;
}): ComponentChildren {
  switch (content.type) {
    case 'said':
      return <Said content={content} edits={isPrompt(entry) ? entry.runId : null} />;
    case 'staff':
      return (
        <p class="said" dir="auto">
          {content.text}
        </p>
      );
    case 'held':
      return <p class="quiet">{heldWords(content)}</p>;
    case 'reasoning':
      return (
        <Reasoning
          text={content.text}
          tokens={content.isWhole ? entry.usage?.reasoningTokens || null : null}
          isGrowing={!content.isWhole && entry.content.at(-1) === content}
        />
      );
    case 'text':
      return <StreamedText text={content.text} isWhole={content.isWhole} />;
    case 'withdrawn':
      return (
        <details class="fold taken">
          <summary>{t.withdrawn}</summary>
          <del>
            {content.reasoning && <p class="quiet">{content.reasoning}</p>}
            <p>{content.text}</p>
          </del>
        </details>
      );
    case 'brokeOff': {
      const message = errorInWords(content.error);
      const words = message.replace(/[.。]$/, '');
      return (
        <p class="quiet">
          {!content.isAskedAgain ? t.brokeOff(message) : isLive ? t.waitsAgain(words) : t.askedAgain(words)}
        </p>
      );
    }
    case 'came':
      return <Came content={content} />;
    case 'decided':
      return <Decided content={content} />;
    case 'flush':
      return content.error || content.lines > 0 ? (
        <p class="quiet">
          {content.error ? t.notFlushed(errorInWords(content.error)) : t.flushed(content.lines)}
        </p>
      ) : null;
    case 'compaction':
      return (
        <>
          <p class="quiet">{content.error ? t.notCompacted(errorInWords(content.error)) : t.compacted}</p>
          {content.summary !== null && content.summary !== '' && (
            <details class="fold">
              <summary>{t.readSummary}</summary>
              <Markdown text={content.summary} />
            </details>
          )}
        </>
      );
    case 'ended':
      return <RunEnd entry={entry} ended={content} />;
    case 'call':
      return null;
  }
}

function heldWords({ state, by }: Extract<Content, { type: 'held' }>): string {
  if (state === 'over') return t.personWent;
  if (state === 'waiting') return t.personAsked;
  return by === ownName() ? t.youCame : t.personCame(by && visible(by));
}

/** Whether it began its run: what is said to a person of the staff begins none. */
function isPrompt({ kind, stay }: Entry): boolean {
  return kind === 'user' && stay !== 'waiting' && stay !== 'taken';
}

interface SaidProps {
  content: Extract<Content, { type: 'said' }>;
  /** The run that it began, which a person may ask again in other words; null for other messages. */
  edits: string | null;
}

function Said({ content: { text, attachments, job }, edits }: SaidProps) {
  const written = beforeSkill(text);
  const { words, files } = withoutTextFiles(written);
  const skill = written === text ? null : /^\/(\S+)\s*/.exec(words);
  return (
    <>
      {job !== null && <p class="quiet">{t.job(job)}</p>}
      <p class="said" dir="auto">
        {skill && <SkillChip name={skill[1] ?? ''} />}
        {skill && ' '}
        {skill ? words.slice(skill[0].length) : words}
      </p>
      {files.length > 0 && (
        <ul class="parts">
          {files.map((file) => (
            <li key={file}>{file}</li>
          ))}
        </ul>
      )}
      {attachments.length > 0 && <Attachments parts={attachments} />}
      {edits !== null && job === null && files.length === 0 && <EditMessage runId={edits} text={words} />}
    </>
  );
}

function Reasoning({ text, tokens, isGrowing }: { text: string; tokens: number | null; isGrowing: boolean }) {
  return (
    <details class="fold">
      <summary>
        {t.reasoning(tokens)}
        {isGrowing && <span class="caret small" />}
      </summary>
      <p class="reason" dir="auto">
        {text}
      </p>
    </details>
  );
}

function Decided({ content }: { content: Extract<Content, { type: 'decided' }> }) {
  const { verdict, name, at, reason, by, question, answer } = content;
  const said = answer === undefined ? null : typeof answer === 'string' ? answer : JSON.stringify(answer);
  return (
    <p class="quiet">
      {question && <>“{question.text}” </>}
      {t.verdict(verdict)} {said === null ? <span class="mono">{name}</span> : <b>{said}</b>}
      {', '}
      {timeOfDay(at, true)}
      {by !== undefined && <>, {t.by(visibleActor(by))}</>}
      {reason !== undefined && <>. {t.because(reason)}</>}
    </p>
  );
}

/** What the chart of a workflow got, from where, and what it brought. */
function Came({
  content: { name, from, content, sentBy, error },
}: {
  content: Extract<Content, { type: 'came' }>;
}) {
  return (
    <>
      <p class="quiet">
        <code>{visible(name)}</code>{' '}
        {sentBy === undefined ? t.cameFrom(from) : t.sentBy(may('admin') ? visibleActor(sentBy) : null)}
        {error && (
          <>
            : <code>{error.code}</code> {errorInWords(error)}
          </>
        )}
      </p>
      {content !== undefined && (
        <details class="fold">
          <summary>{from === 'service' ? t.returned : t.brought}</summary>
          <JsonView
            value={parseJson(content) ?? content}
            label={from === 'service' ? t.returned : t.brought}
          />
        </details>
      )}
    </>
  );
}

/** While an answer streams: how long it is, as an estimate that says so. */
function AnswerLength({ entry }: { entry: Entry }) {
  const text = entry.content.findLast((one) => one.type === 'text');
  if (text?.type !== 'text' || text.isWhole) return null;
  return (
    <div class="cost" aria-hidden="true">
      <span class="num">{t.about(t.tokens(estimate(text.text)))}</span>
    </div>
  );
}

/** A token is about four letters, or one Chinese character. */
function estimate(text: string): number {
  const wide = text.match(/[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/g)?.length ?? 0;
  return Math.round(wide + (text.length - wide) / 4);
}
