/** What each rule says of one call. Null: it says nothing. */
export interface PolicyFacts {
  tool: string;
  /** The run's own word: `ask` leaves it to the rules below, `all` approves, `none` refuses what would ask. */
  runOption: 'ask' | 'all' | 'none';
  /** Where untrusted text came from, when the call writes or sends and such text is in the conversation. */
  taint: string | null;
  /** Number of the session's grant that means the call. */
  grant: number | null;
  /** Name of a trusted skill that covers it. */
  skill: string | null;
  /** Name of a skill, trusted or not, that has it asked about. */
  askingSkill: string | null;
  /** Whether the configuration has it asked; it stands in for the tool's own default. */
  configured: boolean | null;
  /** Whether the tool asks; null when its own rule is broken. */
  own: boolean | null;
}

export interface PolicyVerdict {
  gate: 'run' | 'ask' | 'refuse';
  /** The rule that decided, and those that said otherwise and were beaten: for the log, and for who is asked. */
  why: string;
}

interface Voice {
  asks: boolean;
  why: string;
}

/**
 * Whether a call runs, is asked about or refused. Of the rules that say something the most specific wins: run option >
 * taint > session grant > skill (to ask, any; not to ask, a trusted one) > tool default (or the configuration in its place) > global default. None of
 * them answers what became of an interrupted call: that is for a person.
 */
export function resolvePolicy(facts: PolicyFacts): PolicyVerdict {
  const { gate, why } = heard(facts.runOption === 'all' ? [approveAll, ...voices(facts)] : voices(facts));
  if (facts.runOption !== 'none' || gate !== 'ask') return { gate, why };
  return { gate: 'refuse', why: `run option: approve none (${why})` };
}

const approveAll: Voice = { asks: false, why: 'run option: approve all' };
const globalDefault: Voice = { asks: true, why: 'global default: ask' };

/** Most specific first. */
function voices({ tool, taint, grant, skill, askingSkill, configured, own }: PolicyFacts): Voice[] {
  return [
    ...(taint === null ? [] : [{ asks: true, why: `taint: ${taint}` }]),
    ...(grant === null ? [] : [{ asks: false, why: `session grant ${grant}` }]),
    ...(askingSkill === null ? [] : [{ asks: true, why: `confirm-before of skill ${askingSkill}` }]),
    ...(skill === null ? [] : [{ asks: false, why: `trusted skill: ${skill}` }]),
    ...said(configured, `configuration: confirm ${tool}`),
    ...said(own, `tool default: ${tool}`),
  ];
}

function said(asks: boolean | null, rule: string): Voice[] {
  return asks === null ? [] : [{ asks, why: `${rule} ${asks ? 'asks' : 'does not ask'}` }];
}

function heard([winner = globalDefault, ...others]: readonly Voice[]): PolicyVerdict {
  const beaten = others.filter(({ asks }) => asks !== winner.asks).map(({ why }) => why);
  const over = beaten.length > 0 ? `, over ${beaten.join(', ')}` : '';
  return { gate: winner.asks ? 'ask' : 'run', why: `${winner.why}${over}` };
}
