import type { Approve } from '../../protocol/enums.ts';

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
  configured: boolean | null;
  /** Whether the tool asks; null when its own rule throws. */
  own: boolean | null;
}

interface PolicyVerdict {
  gate: 'run' | 'ask' | 'refuse';
  /** The rule that decided, and those that it overrode: for the log, and for the person who is asked. */
  why: string;
}

interface Vote {
  asks: boolean;
  why: string;
}

/**
 * Whether a call runs, needs approval or is refused. The most specific rule that says something wins: four eyes > `all` of the run's
 * request > guarded file > `all` of the configuration > taint > session grant > skill (any skill can ask, only a trusted one can approve) >
 * tool default (or the configuration in its place) > global default. No rule decides what became of an interrupted call: a
 * person does.
 */
export function resolvePolicy(facts: PolicyFacts): PolicyVerdict {
  const { runOption, isRequested, guarded } = facts;
  const source = isRequested ? 'run option' : 'configuration';
  const all = runOption === 'all' ? [{ asks: false, why: `${source}: approve all` }] : [];
  const guard = guarded === null ? [] : [{ asks: true, why: `guarded: ${guarded}` }];
  const another = { asks: true, why: `configuration: someone else must approve ${facts.tool} (fourEyes)` };
  const { gate, why } = decided([
    ...(facts.isFourEyes ? [another] : []),
    ...(isRequested ? [...all, ...guard] : [...guard, ...all]),
    ...votes(facts),
  ]);
  // An option that this program does not know, from a row of another one, is as strict as `none`.
  if (runOption === 'ask' || runOption === 'all' || gate !== 'ask') return { gate, why };
  return { gate: 'refuse', why: `run option: approve none (${why})` };
}

const globalDefault: Vote = { asks: true, why: 'global default: ask' };

/** Most specific first. */
function votes({ tool, taint, grant, skill, askingSkill, configured, own }: PolicyFacts): Vote[] {
  return [
    ...(taint === null ? [] : [{ asks: true, why: `taint: ${taint}` }]),
    ...(grant === null ? [] : [{ asks: false, why: `session grant ${grant}` }]),
    ...(askingSkill === null ? [] : [{ asks: true, why: `confirm-before of skill ${askingSkill}` }]),
    ...(skill === null ? [] : [{ asks: false, why: `trusted skill: ${skill}` }]),
    ...vote(configured, `configuration: confirm ${tool}`),
    ...vote(own, `tool default: ${tool}`),
  ];
}

function vote(said: boolean | null, rule: string): Vote[] {
  const asks = said !== false;
  return said === null ? [] : [{ asks, why: `${rule} ${asks ? 'asks' : 'does not ask'}` }];
}

function decided([winner = globalDefault, ...others]: readonly Vote[]): PolicyVerdict {
  const beaten = others.filter(({ asks }) => asks !== winner.asks).map(({ why }) => why);
  const over = beaten.length > 0 ? `, over ${beaten.join(', ')}` : '';
  return { gate: winner.asks ? 'ask' : 'run', why: `${winner.why}${over}` };
}
