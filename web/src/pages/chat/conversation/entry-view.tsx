import { Component, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { dayAndTime, duration, money, timeOfDay } from '../../../base/format.ts';
import { ownName } from '../../../data/connection.ts';
import { type Entry, shownStates } from '../../../data/conversation/entries.ts';
import { Elapsed } from '../../../parts/elapsed.tsx';
import { leftWord } from '../../../parts/left-run.tsx';
import { RunLink } from '../../../parts/run-link.tsx';
import { Shape } from '../../../parts/shape.tsx';
import { keyOfPath, type StateKey } from '../../../parts/states.ts';
import { visible } from '../../../parts/visible.ts';
import { t } from '../words.ts';
import { EntryContent } from './entry-content.tsx';
import type { EntryPlace } from './rows.ts';
import { asks, isAtRest, Standing } from './standing.ts';
import { Whose } from './whose.ts';

export type Marks = 'states' | 'react';

interface EntryViewProps extends EntryPlace {
  entry: Entry;
  marks: Marks;
  /** A link leads to it. */
  isLinked: boolean;
}

/** A stay in a state, or a message of a person: its mark in the margin, and what hangs from it. Drawn again only when it changed. */
export class EntryView extends Component<EntryViewProps> {
  static override contextType = Standing;

  override shouldComponentUpdate(next: EntryViewProps): boolean {
    const now = this.props;
    return (Object.keys(next) as (keyof EntryViewProps)[]).some((name) => next[name] !== now[name]);
  }

  override render({ entry, marks, isFirst, isLast, isLive, falls, isLinked }: EntryViewProps) {
    const { kind, stay, isOfChart } = entry;
    const isStay = kind === 'stay' || kind === 'end';
    const standing = isLive ? (this.context as string | null) : null;
    const left = isAtRest(standing) ? standing : null;
    const ofChart = standing === asks ? 'ask' : 'decide';
    const state = left !== null ? 'hold' : isOfChart ? ofChart : keyOfPath(stay);
    const classes = [
      'ent',
      isStay ? 'stay' : kind,
      isFirst && 'first',
      isLast && 'last',
      falls && 'falls',
      isLinked && 'linked',
    ];
    const isActing = marks === 'react' && stay === 'tooling' && !isOfChart;
    return (
      <article
        class={classes.filter(Boolean).join(' ')}
        data-s={isStay ? state : kind === 'steer' ? 'think' : undefined}
      >
        <Mark entry={entry} marks={marks} state={state} isLive={isLive} left={left} />
        <div class="r">{isStay && <Shape state={state} />}</div>
        <div class="b">
          <EntryContent entry={entry} isLive={isLive} part={isActing ? 'act' : 'all'} />
        </div>
        {isActing && (
          <>
            <div class="g">
              <b>{t.observe}</b>
            </div>
            <div class="r">
              <Shape state="idle" />
            </div>
            <div class="b">
              <EntryContent entry={entry} isLive={isLive} part="observe" />
            </div>
          </>
        )}
      </article>
    );
  }
}

function Mark({
  entry,
  marks,
  state,
  isLive,
  left,
}: {
  entry: Entry;
  marks: Marks;
  state: StateKey;
  isLive: boolean;
  left: string | null;
}) {
  const { kind, fromSeq, toSeq, at, endedAt, runId, usage } = entry;
  const isAtRest = left !== null;
  const link = { runId, seq: toSeq ?? fromSeq };
  const { other } = useContext(Whose);
  if (kind === 'user' || kind === 'staff')
    return (
      <div class="g">
        <b>{kind === 'staff' ? staffName(entry) : other === null ? t.you : visible(other)}</b>
        {isToday(at) ? timeOfDay(at, true) : dayAndTime(at)}
      </div>
    );
  if (kind === 'steer')
    return (
      <div class="g">
        <b>{other === null ? t.youSteered : visible(other)}</b>
        <RunLink {...link}>{t.seq(fromSeq, toSeq)}</RunLink>
      </div>
    );
  return (
    <div class="g">
      <b>{breakable(isAtRest ? leftWord(left) : label(entry, marks, state))}</b>
      <RunLink {...link} title={usage ? costOf(usage) : undefined}>
        {t.seq(fromSeq, toSeq)}
        {kind !== 'end' && (endedAt !== null || (isLive && !isAtRest)) && ' · '}
        {kind !== 'end' && endedAt !== null && duration(endedAt - at)}
        {isLive && !isAtRest && <Elapsed since={at} />}
      </RunLink>
    </div>
  );
}

/** Who of the staff says it: themselves, by the name that users may know, or by that of the log. */
function staffName({ content: [said] }: Entry): string {
  if (said?.type !== 'staff') return t.staff;
  const { by, name } = said;
  return by === ownName() && by !== '' ? t.you : visible(name ?? by ?? t.staff);
}

function costOf({ inputTokens, outputTokens, costUsd }: NonNullable<Entry['usage']>): string {
  const tokens = t.tokens(inputTokens + outputTokens);
  return costUsd === null ? tokens : `${tokens}, ${money(costUsd)}`;
}

const ofReact: Partial<Readonly<Record<StateKey, 'think' | 'act'>>> = {
  think: 'think',
  back: 'think',
  tool: 'act',
};

function label({ stay, isOfChart }: Entry, marks: Marks, state: StateKey): string {
  if (isOfChart) return visible(shownStates(stay));
  const name = marks === 'react' ? ofReact[state] : undefined;
  if (name) return t[name];
  if (stay === 'waiting') return t.awaitsStaff;
  if (stay === 'taken') return t.staff;
  if (state === 'ask') return t.awaiting;
  return stay === 'backingOff' ? 'backing off' : stay;
}

/** A long path is broken behind its dots, not within a name. */
function breakable(path: string): ComponentChildren {
  return path.split(/(?<=\.)/).flatMap((name, at) => (at === 0 ? [name] : [<wbr key={at} />, name]));
}

function isToday(at: number): boolean {
  return new Date(at).toDateString() === new Date().toDateString();
}
