import type { Approve, Decider } from '../../protocol/enums.ts';
import { reasonText } from '../../protocol/views.ts';

/** What each rule says about one call. Null: it says nothing. */
export interface PolicyFacts {
  tool: string;
  /** The run's `approve` option: `ask` leaves it to the rules below, `all` approves, `none` refuses what would ask. */
  runOption: Approve;
  /** Whether the run's own request said so, and not only the configuration. */
  isRequested: boolean;
  /** Whether someone else than who asked must approve the call: whatever else would let it run is not theirs to say. */
  isFourEyes: boolean;
  /** The file that the call writes and that always asks, in words: `.git/config, by which git can be …`. */
  guarded: string | null;
  /** Where untrusted text came from, when the call writes or sends and such text is in the conversation. */
  taint: string | null;
  /** Number of the session grant that covers the call. */
  grant: number | null;
  /** Name of a trusted skill that allows the call without asking. */
  skill: string | null;
  /** Name of a skill, trusted or not, whose `confirm-before` covers the call. */
  askingSkill: string | null;
  /** Whether the configuration asks; it overrides the tool's own default. */
  configured: boolean | Decider | null;
  /** Whether the tool asks; null when its own rule throws. */
  own: boolean | Decider | null;
}

export interface PolicyVerdict {
  gate: 'run' | 'ask' | 'refuse';
  /** The rule that decided, and those that it overrode: for the log, and for the person who is asked. */
  why: string;
  /** Who decides if the call asks; left out where anyone may who may approve. */
  decides?: Decider;
}

interface Vote {
  asks: boolean;
  why: string;
}

/**
 * Whether a call runs, needs approval or is refused. The most specific rule that says something wins: four eyes > staff > `all` of the run's
 * request > guarded file > `all` of the configuration > taint > session grant > skill (any skill can ask, only a trusted one can approve) >
 * tool default (or the configuration in its place) > global default. No rule decides what became of an interrupted call: a
 * person does.
 */
export function resolvePolicy(facts: PolicyFacts): PolicyVerdict {
  const { tool, runOption, isRequested, guarded, isFourEyes } = facts;
  const approvesAll = isRequested ? 'run_approves_all' : 'config_approves_all';
  const all = runOption === 'all' ? [{ asks: false, why: reasonText(approvesAll) }] : [];
  const guard = guarded === null ? [] : [{ asks: true, why: reasonText('guarded', { file: guarded }) }];
  const decides = deciderOf(facts);
  const { gate, why } = decided([
    ...(isFourEyes ? [{ asks: true, why: reasonText('config_four_eyes', { tool }) }] : []),
    ...(decides?.who === 'staff'
      ? [{ asks: true, why: reasonText(`${decides.source}_staff`, { tool }) }]
      : []),
    ...(isRequested ? [...all, ...guard] : [...guard, ...all]),
    ...votes(facts),
  ]);
  // An option that this program does not know, from a row of another one, is as strict as `none`.
  if (runOption === 'ask' || runOption === 'all' || gate !== 'ask')
    return { gate, why, ...(decides && { decides: decides.who }) };
  return { gate: 'refuse', why: reasonText('run_refuses', { why }) };
}

/** The decider that the configuration names, or else the tool. */
function deciderOf({ configured, own }: PolicyFacts): { who: Decider; source: Source } | undefined {
  if (typeof configured === 'string') return { who: configured, source: 'config' };
  return configured === null && typeof own === 'string' ? { who: own, source: 'tool' } : undefined;
}

/** Who says whether a tool asks. */
type Source = 'config' | 'tool';

const globalDefault: Vote = { asks: true, why: reasonText('global_default') };

/** Most specific first. */
function votes({ tool, taint, grant, skill, askingSkill, configured, own }: PolicyFacts): Vote[] {
  return [
    ...(taint === null ? [] : [{ asks: true, why: reasonText('taint', { sources: taint }) }]),
    ...(grant === null ? [] : [{ asks: false, why: reasonText('session_grant', { grant }) }]),
    ...(askingSkill === null ? [] : [{ asks: true, why: reasonText('skill_asks', { skill: askingSkill }) }]),
    ...(skill === null ? [] : [{ asks: false, why: reasonText('skill_allows', { skill }) }]),
    ...vote(configured, 'config', tool),
    ...vote(own, 'tool', tool),
  ];
}

function vote(said: boolean | Decider | null, source: Source, tool: string): Vote[] {
  if (said === null) return [];
  if (said === false) return [{ asks: false, why: reasonText(`${source}_does_not_ask`, { tool }) }];
  return [
    { asks: true, why: reasonText(said === 'user' ? `${source}_asks_user` : `${source}_asks`, { tool }) },
  ];
}

function decided([winner = globalDefault, ...others]: readonly Vote[]): PolicyVerdict {
  const beaten = others.filter(({ asks }) => asks !== winner.asks).map(({ why }) => why);
  const over = beaten.length > 0 ? `, over ${beaten.join(', ')}` : '';
  return { gate: winner.asks ? 'ask' : 'run', why: `${winner.why}${over}` };
}
