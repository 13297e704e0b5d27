import { pathOf } from '../../engine/machine.ts';
import { shownModel } from '../../store/run-options.ts';
import { contextOf, isImported, optionsOf, outputOf, subRunId } from '../../store/stored-run.ts';
import type { RunKind } from './run-kind.ts';

/** The states in which a run waits for a person: an agent's, or one of a single call. */
const askingPaths: readonly string[] = [
  'active.awaitingConfirm',
  'active.reconciling',
  'awaitingConfirm',
  'reconciling',
];
/** A single call is in flight. */
const executing = 'executing';

const paths = new Map<string, string>();

/** The path of a stored state. Charts of Detent's own have few states, and each look at a run asks for its path. */
export function pathIn(state: string): string {
  const known = paths.get(state);
  if (known !== undefined) return known;
  const path = pathOf(JSON.parse(state));
  paths.set(state, path);
  return path;
}

/** Runs of agents and of single calls. Rows of jobs and imported runs are read in the same way: they never ask and have no children. */
export const agentKind: RunKind = {
  isQueued: ({ state }) => pathIn(state) === 'idle',
  isAsking: ({ state, ended }) => !ended && askingPaths.includes(pathIn(state)),
  isAskingPath: (path) => askingPaths.includes(path),
  isAtWork: ({ state, ended }) => {
    const path = pathIn(state);
    return !ended && path !== 'idle' && !askingPaths.includes(path);
  },
  childIds(row) {
    // Calls that start sub-runs are idempotent: most runs have none, and their context need not be parsed.
    if (row.ended || !row.context.includes('"class":"idempotent"')) return [];
    const { pending = [] } = contextOf(row);
    return pending.flatMap(({ id, class: side }) => (side === 'idempotent' ? [subRunId(row.id, id)] : []));
  },
  waitsInProcess: true,
  endedAs: ({ state }) => pathIn(state) as 'done' | 'failed' | 'cancelled',
  isWorking: (path) => path === executing || path.startsWith('active.working.'),
  stateOf,
  countedAs: (path) => stateOf(path),
  firstPath: 'idle',
  asked(row) {
    const options = optionsOf(row);
    const { agent = 'default' } = options;
    const outcome = isImported(row) ? null : (outputOf(row)?.outcome ?? null);
    return { outcome, agent, model: shownModel(options) };
  },
  error: (row) => (isImported(row) ? null : (outputOf(row)?.error ?? null)),
  /** A chart's question is not a message. */
  prompt(row) {
    const { ask } = optionsOf(row);
    if (ask === undefined) return null;
    return 'approval' in ask ? ask.approval.text : ask.question.text;
  },
};

/** `active.working.thinking.requesting` is `thinking`, `executing` is `tooling`. */
function stateOf(path: string): string {
  const [first = '', second, third] = path.split('.');
  if (first === executing) return 'tooling';
  if (first !== 'active' || second === undefined) return first;
  return second === 'working' && third !== undefined ? third : second;
}
