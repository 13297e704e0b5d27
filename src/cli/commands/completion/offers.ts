import type { Detent, RunSummary } from '../../../index.ts';
import { presets } from '../../../models/catalogue.ts';
import { defaultAgent } from '../../../protocol/access.ts';
import { unfinishedStatuses } from '../../../protocol/enums.ts';
import { isoTime } from '../../../text/wording.ts';
import { reading } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { type CliOptions, hasDatabase, optionsWithoutCode } from '../../settings/load-options.ts';
import { clipped } from '../../terminal/columns.ts';
import type { Io } from '../../terminal/io.ts';
import type { Offer } from './find-place.ts';
import type { AskedKind } from './tree.ts';

/** Maximum candidates: a longer list helps no person. */
const maxOffers = 100;

/** The candidates of the database or configuration. Pressing Tab must never print an error: then there are none. */
export async function askedOffers(
  kind: AskedKind,
  words: readonly string[],
  io: Io,
): Promise<readonly Offer[]> {
  // The shell would take output of the configuration for candidates.
  const unmute = io.stdout.mute();
  try {
    const options = await optionsWithoutCode(placeFlags(words), io);
    if (kind === 'agents' || kind === 'models') return configuredOffers(kind, options);
    if (kind === 'skills') return await skillOffers(options);
    if (!hasDatabase(options)) return [];
    return await reading({ ...options, onError: () => {} }, (detent) => offersOf(detent, kind, words));
  } catch {
    return [];
  } finally {
    unmute();
  }
}

/** Candidates that need no database. */
function configuredOffers(kind: 'agents' | 'models', { agents, models = {} }: CliOptions): Offer[] {
  if (kind === 'agents')
    return [...new Set([defaultAgent, ...Object.keys(agents ?? {})])].map((name) => [name, 'agent']);
  const configured = Object.entries(models).flatMap(([provider, config]) =>
    Object.keys(('models' in config ? config.models : null) ?? {})
      .filter((id) => id !== '*')
      .map((id): Offer => [`${provider}/${id}`, 'of the configuration']),
  );
  const known = Object.entries(presets).map(
    ([provider, { defaultModel, apiKeyEnv, isKeyOptional }]): Offer => {
      const about = isKeyOptional ? 'needs no key' : `key: ${apiKeyEnv}`;
      return [`${provider}/${defaultModel ?? ''}`, about];
    },
  );
  const demo: Offer[] = [
    ['demo/demo', 'a few fixed rules, no language model'],
    ['demo/tour', 'a guided tour of one run, without a key'],
  ];
  return [...configured, ...known, ...demo];
}

async function skillOffers(options: CliOptions): Promise<Offer[]> {
  const [{ openSkills }, { skillViews }] = await Promise.all([
    import('../../../runtime/parts.ts'),
    import('../../../runtime/parts.ts'),
  ]);
  const { skills } = await skillViews(openSkills(options, options.workspace)).list();
  return skills.map(({ name, description }) => [name, clipped(description, 60)]);
}

async function offersOf(detent: Detent, kind: string, words: readonly string[]): Promise<readonly Offer[]> {
  if (kind === 'runs') return runOffers(await detent.runs.list({ limit: maxOffers }), words);
  if (kind === 'calls') return callOffers(detent, words);
  if (kind !== 'sessions') return [];
  const sessions = await detent.sessions.list({ limit: maxOffers });
  return sessions.map(({ sessionId, runs, createdAt }) => [
    sessionId,
    `${runs} ${runs === 1 ? 'run' : 'runs'}, begun ${when(createdAt)}`,
  ]);
}

/** The run states that a command accepts. */
const statusesFor: Readonly<Record<string, readonly string[]>> = {
  confirm: ['waiting'],
  reconcile: ['waiting'],
  resume: unfinishedStatuses,
  cancel: unfinishedStatuses,
  send: unfinishedStatuses,
  answer: ['waiting'],
};

/** Keeps the runs that the command accepts. */
function runOffers(runs: readonly RunSummary[], [noun, verb]: readonly string[]): Offer[] {
  const wanted = verb === undefined ? undefined : statusesFor[verb];
  const isWanted = ({ status, workflow }: RunSummary) =>
    (wanted === undefined || wanted.includes(status)) && (noun !== 'workflow' || workflow !== undefined);
  return runs
    .filter(isWanted)
    .map(({ runId, status, updatedAt, sessionId }) => [runId, `${status}, ${when(updatedAt)}, ${sessionId}`]);
}

async function callOffers(detent: Detent, words: readonly string[]): Promise<Offer[]> {
  // Other words may be values of flags.
  const named = words.slice(2).find((word) => word === 'last' || word.startsWith('run_'));
  if (named === undefined) return [];
  const { pending } = await detent.runs.show(await detent.runs.find(named));
  const isReconciled = words[1] === 'reconcile';
  return pending
    .filter((call) => call.runId === undefined && (call.kind === 'reconcile') === isReconciled)
    .map(({ callId, name, arguments: given }) => [callId, `${name} ${JSON.stringify(given)}`]);
}

function when(at: number): string {
  return isoTime(at).slice(0, 16).replace('T', ' ');
}

/** Reads only --workspace and --db from the words, since the rest may be half typed. */
function placeFlags(words: readonly string[]): Flags {
  const named = (name: string) => {
    const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
    if (at < 0) return undefined;
    return words[at] === name ? words[at + 1] : words[at]?.slice(name.length + 1);
  };
  return { workspace: named('--workspace') || undefined, db: named('--db') || undefined };
}
