import { count } from '../../base/format.ts';
import { href } from '../../base/place.ts';
import { Chip } from '../../parts/shape.tsx';
import { keyOfPath } from '../../parts/states.ts';
import { boardLine, boardPath, boardWidth, boardX, pileOf } from './board-line.ts';
import { endedColumns, shownColumns } from './filters.ts';
import { t } from './words.ts';

/** Those that are no states of an agent's run. */
const names: Readonly<Record<string, string>> = {
  unstarted: t.unstarted,
  interrupted: t.interrupted,
  idle: t.queued,
  workflow: t.inWorkflow,
};

interface BoardProps {
  counts: Readonly<Record<string, number>>;
  /** The column that the list is filtered by. */
  chosen: string;
  /** The address that shows only one column; of the chosen one, all of them. */
  linkOf(state: string): string;
}

/** All runs at this moment, each a ball in the state that holds it. */
export function Board({ counts, chosen, linkOf }: BoardProps) {
  const columns = shownColumns(counts, chosen);
  const x = (index: number) => boardX(index, columns.length);
  return (
    <nav class="board" aria-label={t.board}>
      <svg viewBox={`0 0 ${boardWidth} 74`} aria-hidden="true">
        <path class="board-line" d={boardPath(columns.length)} />
        {columns.map((state, index) =>
          endedColumns.includes(state)
            ? null
            : pileOf(counts[state] ?? 0).map(([dx, dy]) => (
                <g key={`${state} ${dx} ${dy}`} class="ball" data-s={keyOfPath(state)}>
                  <circle class="ball-fill" cx={x(index) + dx} cy={boardLine + 4 + dy} r="11" />
                  <circle class="ball-light" cx={x(index) + dx - 3.6} cy={boardLine + dy} r="2.6" />
                </g>
              )),
        )}
      </svg>
      <ul style={{ gridTemplateColumns: `repeat(${columns.length}, minmax(0, 1fr))` }}>
        {columns.map((state) => (
          <li key={state}>
            <a href={href(linkOf(state))} aria-current={state === chosen ? 'true' : undefined}>
              <b>{count(counts[state] ?? 0)}</b>
              <Chip plain state={keyOfPath(state)}>
                {names[state] ?? state}
              </Chip>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The same on phones: four sums. */
export function SmallBoard({ counts, linkOf }: Omit<BoardProps, 'chosen'>) {
  const sum = (...states: string[]) => states.reduce((all, state) => all + (counts[state] ?? 0), 0);
  const cells = [
    ['awaitingConfirm', sum('awaitingConfirm', 'reconciling'), t.forYou, ''],
    ['thinking', sum('thinking', 'tooling', 'compacting', 'workflow'), t.working, ''],
    ['idle', sum('idle'), t.queued, 'idle'],
    ['failed', sum('failed'), t.failed, 'failed'],
  ] as const;
  return (
    <nav class="phoneboard" aria-label={t.board}>
      {cells.map(([state, n, words, filter]) => (
        <a key={state} href={href(linkOf(filter))}>
          <b>{count(n)}</b>
          <Chip plain state={keyOfPath(state)}>
            {words}
          </Chip>
        </a>
      ))}
    </nav>
  );
}
