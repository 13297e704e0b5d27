import type { ReadonlySignal } from '@preact/signals';
import { isObject, type JsonObject } from '#src/protocol/json.ts';
import { count, duration, money } from '../../../base/format.ts';
import { chatPath, href, runPath } from '../../../base/place.ts';
import { type InspectedRun, isWorkflow } from '../../../data/inspected-run.ts';
import { pathsAt } from '../../../data/run-trace.ts';
import { isLeft, type RunRow } from '../../../data/runs.ts';
import { Elapsed } from '../../../parts/elapsed.tsx';
import { LeftRun } from '../../../parts/left-run.tsx';
import { runTitle } from '../../../parts/run-title.ts';
import { Chip } from '../../../parts/shape.tsx';
import { leafOf } from '../../../parts/states.ts';
import { visible } from '../../../parts/visible.ts';
import { Fact } from '../fact.tsx';
import type { Figures, FiguresAt } from '../figures.ts';
import { RunActions } from '../readout/run-actions.tsx';
import { t } from '../words.ts';
import { useBelow } from './use-below.ts';

interface RunHeaderProps {
  run: InspectedRun;
  summary: RunRow | undefined;
  figures: ReadonlySignal<Figures | null>;
}

/** What the run is, whether its log agrees with its machine, and what it had used up to the shown moment. */
export function RunHeader({ run, summary, figures }: RunHeaderProps) {
  const trace = run.trace.value;
  if (trace === null) return null;
  const parent = summary?.parentRunId;
  return (
    <header class="top">
      <div class="who">
        <h1 class="cut">{titleOf(run, summary ?? { prompt: '', model: '' })}</h1>
        <p class="sub cut">
          <span class="mono">{run.runId}</span> · {t.session}{' '}
          <a class="link" href={href(chatPath(trace.sessionId))}>
            {trace.sessionId}
          </a>{' '}
          {parent !== undefined && (
            <>
              · {t.partOf}{' '}
              <a class="link" href={href(runPath(parent))}>
                {parent}
              </a>{' '}
            </>
          )}
          · <Agreement run={run} />
        </p>
      </div>
      {summary && isLeft(summary) && <LeftRun run={{ runId: run.runId, status: summary.status }} />}
      <Facts
        run={run}
        figures={figures}
        isPriced={summary?.costUsd !== null}
        isCounting={!isWorkflow(run) && summary !== undefined && !isLeft(summary)}
      />
      <RunActions run={run} />
    </header>
  );
}

/** A workflow has a name, and an input; another run the words that it was begun with. */
function titleOf(run: InspectedRun, { prompt, model }: Pick<RunRow, 'prompt' | 'model'>): string {
  const machine = run.trace.value?.machine.name ?? '';
  if (isWorkflow(run)) return visible([machine.replace('workflow:', ''), prompt].filter(Boolean).join(' '));
  return runTitle({ prompt, model }) || visible(t.chartOf(machine));
}

function Agreement({ run }: { run: InspectedRun }) {
  const trace = run.trace.value;
  if (trace === null) return null;
  const { machine, agrees, lastSeq, diverged } = trace;
  if (!machine.known) return <>{t.unknownMachine(machine.name, machine.version)}</>;
  return <>{diverged ? t.partlyAgree(agrees, lastSeq, diverged.seq) : t.allAgree(lastSeq)}</>;
}

interface FactsProps extends Omit<RunHeaderProps, 'summary'> {
  isPriced: boolean;
  /** A run that works, or waits for a person: what lasts counts. */
  isCounting: boolean;
}

function Facts({ run, figures, isPriced, isCounting }: FactsProps) {
  const trace = run.trace.value;
  const below = useBelow(run);
  const own = figures.value?.at(run.seq.value);
  if (trace === null || own === undefined) return null;
  const paths = pathsAt(trace, run.seq.value);
  const isNewest = run.seq.value >= trace.lastSeq;
  const until = isNewest && !trace.ended ? Date.now() : (trace.transitions[run.seq.value - 1]?.at ?? 0);
  const at = isWorkflow(run) ? withBelow(own, spentIn(run.contextAt(run.seq.value)), below, until) : own;
  const isEnd = trace.ended && isNewest;
  const now = isNewest && !isEnd && isCounting ? figures.value?.lasting : undefined;
  /** What lasts is counted while it does. */
  const time = (kind: 'working' | 'waiting', ms: number) =>
    now?.kind === kind ? <Elapsed since={now.since - ms} /> : duration(ms);
  return (
    <dl class="facts">
      <Fact name={isEnd ? t.ended : t.state}>
        {paths.slice(0, 1).map((path) => (
          <Chip key={path} state={figures.value?.keys[run.seq.value - 1] ?? 'decide'} plain>
            {leafOf(path)}
          </Chip>
        ))}
      </Fact>
      <Fact name={t.working}>{time('working', at.workingMs)}</Fact>
      <Fact name={t.waited}>{time('waiting', at.waitedMs)}</Fact>
      <Fact name={t.tokens}>{count(at.inputTokens + at.outputTokens)}</Fact>
      <Fact name={t.cost}>{money(isPriced || at.costUsd > 0 ? at.costUsd : null)}</Fact>
    </dl>
  );
}

/** What the services of a workflow that had ended had spent, as its context says. */
function spentIn(context: JsonObject | null): { tokens: number; costUsd: number } {
  const spent = context?.spent;
  const figure = (name: string) => (isObject(spent) && typeof spent[name] === 'number' ? spent[name] : 0);
  return { tokens: figure('tokens'), costUsd: figure('costUsd') };
}

/** A workflow has no model and asks nobody: the runs below it do. Of those that have ended, its own log has the sum, however many they are. */
function withBelow(
  own: FiguresAt,
  ended: { tokens: number; costUsd: number },
  below: readonly Figures[],
  until: number,
): FiguresAt {
  const sum = (runs: readonly Figures[], field: keyof FiguresAt) =>
    runs.reduce((all, one) => all + one.atTime(until)[field], 0);
  const open = below.filter(({ endedAt }) => endedAt === null || endedAt > until);
  return {
    workingMs: own.workingMs,
    waitedMs: sum(below, 'waitedMs'),
    inputTokens: ended.tokens + sum(open, 'inputTokens'),
    outputTokens: sum(open, 'outputTokens'),
    costUsd: ended.costUsd + sum(open, 'costUsd'),
  };
}
