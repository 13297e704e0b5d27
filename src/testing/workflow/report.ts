import type { AnyStateMachine, ContextFrom, InputFrom, StateValueFrom } from 'xstate';
import type { ChartTransition } from './chart-transitions.ts';
import type { Standing } from './standing.ts';

/** Where a run stands at the end of a path. */
export interface WorkflowPathEnd<Chart extends AnyStateMachine = AnyStateMachine> {
  /** What happened, in order, in words: `pay done: "paid"`. */
  path: readonly string[];
  input: InputFrom<Chart>;
  state: StateValueFrom<Chart>;
  context: ContextFrom<Chart>;
  /** Null for a run that has not ended: on its path nothing more happens that no other path has. */
  end: Standing['end'];
}

/** Where a durable run stands otherwise than the same chart under XState alone. */
export interface WorkflowDifference {
  /** What had happened, in order, in words. */
  path: string[];
  /** `refused`: the run did not take the last event. `replay`: its log does not lead to where it stands. */
  what: 'state' | 'context' | 'end' | 'timers' | 'services' | 'refused' | 'replay';
  plain: unknown;
  durable: unknown;
}

/** A transition that no path took. */
export interface MissingTransition extends ChartTransition {
  /** What the samples lack. */
  remedy: string;
}

export interface WorkflowPathsReport {
  /** Paths driven. A path that another one begins with is not driven by itself. */
  paths: number;
  /** Paths that `maxPaths` left out. */
  pathsLeft: number;
  /** Happenings on them, each compared. */
  steps: number;
  /** False when `maxMoves` ended the search for paths. */
  isWhole: boolean;
  transitions: {
    /** That the chart declares. */
    total: number;
    taken: number;
    missing: MissingTransition[];
    /** All, each with the number of driven paths that take it. */
    all: (ChartTransition & { paths: number })[];
  };
  differences: WorkflowDifference[];
  /** The counts, what is missing and what differs, and a table of the transitions. */
  toString(): string;
}

/** A report for people: counts, what differs, what is missing, and the transitions as a table. */
export function formatReport(id: string, report: Omit<WorkflowPathsReport, 'toString'>): string {
  const { paths, pathsLeft, steps, isWhole, transitions, differences } = report;
  const { total, taken, missing, all } = transitions;
  const lines = [
    `${id}: ${paths} paths, ${steps} steps, ${differences.length} differences; ${taken} of ${total} transitions taken`,
  ];
  if (pathsLeft > 0) lines.push(`${pathsLeft} more paths were not driven: raise maxPaths, or give a key`);
  if (!isWhole) lines.push('the search for paths was not finished: raise maxMoves, or give a key');
  for (const { path, what, plain, durable } of differences)
    lines.push(
      `different ${what} after ${path.join(' → ') || 'the start'}`,
      `  XState:  ${JSON.stringify(plain)}`,
      `  durable: ${JSON.stringify(durable)}`,
    );
  if (differences.length > 0)
    lines.push(
      'a difference is a fault of Detent, or the chart reads what changes: a file, a variable outside',
    );
  for (const one of missing) lines.push(`not taken: ${transitionText(one)}; ${one.remedy}`);
  const header = ['state', 'event', 'guard', 'target', 'paths'];
  const rows = all.map(({ state, event, guard = '', target = '', paths: count }) => [
    state || '(chart)',
    event,
    guard,
    target,
    String(count),
  ]);
  return [...lines, ...table([header, ...rows])].join('\n');
}

function transitionText({ state, event, guard, target }: ChartTransition): string {
  return `${state || 'the chart'} on ${event}${guard ? ` [${guard}]` : ''}${target ? ` to ${target}` : ''}`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
