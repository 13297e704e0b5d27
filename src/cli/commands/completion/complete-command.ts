import type { Detent, RunSummary } from '../../../index.ts';
import { presets } from '../../../models/catalogue/presets.ts';
import { defaultAgent } from '../../../runtime/config/find-agent.ts';
import { reading } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { type CliOptions, hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { clipped } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { printable } from '../../terminal/printable.ts';

/** More are of no use in a list to choose from. */
const most = 100;

/** A word to offer, and what it is. */
type Offer = readonly [word: string, about: string];

/**
 * `detent __complete KIND WORDS…`: what the database or the configuration has for the place after the words, a line each. It
 * is called by the completion of shells while somebody types, so it says nothing at all of what goes wrong.
 */
export async function completeCommand([kind, ...words]: readonly string[], io: Io): Promise<number> {
  // A configuration that prints something would be taken for words.
  const print = io.stdout.write.bind(io.stdout);
  io.stdout.write = () => true;
  let offers: readonly Offer[] = [];
  try {
    const options = await loadOptions(placeOf(words), io);
    if (kind === 'agents' || kind === 'models') offers = configuredOffers(kind, options);
    else if (kind === 'skills') offers = await skillOffers(options);
    else if (hasDatabase(options))
      offers = await reading({ ...options, onError: () => {} }, (detent) => offersOf(detent, kind, words));
  } catch {
    // Whoever presses the tabulator asked for no message.
  } finally {
    io.stdout.write = print;
  }
  for (const [word, about] of offers) io.out(`${printable(word)}\t${about}\n`);
  return exit.ok;
}

/** What needs no database. */
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
  return [...configured, ...known, ['demo/demo', 'a few fixed rules, no language model']];
}

async function skillOffers(options: CliOptions): Promise<Offer[]> {
  const [{ openSkills }, { skillViews }] = await Promise.all([
    import('../../../runtime/parts/skills.ts'),
    import('../../../runtime/api/skill-views.ts'),
  ]);
  const { skills } = await skillViews(openSkills(options, options.workspace)).list();
  return skills.map(({ name, description }) => [name, clipped(description, 60)]);
}

async function offersOf(
  detent: Detent,
  kind: string | undefined,
  words: readonly string[],
): Promise<readonly Offer[]> {
  if (kind === 'runs') return runOffers(await detent.runs.list({ limit: most }), words);
  if (kind === 'calls') return callOffers(detent, words);
  if (kind !== 'sessions') return [];
  const sessions = await detent.sessions.list({ limit: most });
  return sessions.map(({ sessionId, runs, createdAt }) => [
    sessionId,
    `${runs} ${runs === 1 ? 'run' : 'runs'}, begun ${when(createdAt)}`,
  ]);
}

const unfinished = ['queued', 'running', 'waiting', 'interrupted'];

/** For commands that take runs in some states only. */
const statusesFor: Readonly<Record<string, readonly string[]>> = {
  confirm: ['waiting'],
  reconcile: ['waiting'],
  resume: unfinished,
  cancel: unfinished,
};

/** Only those that the command has something to do with. */
function runOffers(runs: readonly RunSummary[], [, verb]: readonly string[]): Offer[] {
  const wanted = verb === undefined ? undefined : statusesFor[verb];
  const isWanted = ({ status }: RunSummary) => wanted === undefined || wanted.includes(status);
  return runs
    .filter(isWanted)
    .map(({ runId, status, updatedAt, sessionId }) => [runId, `${status}, ${when(updatedAt)}, ${sessionId}`]);
}

async function callOffers(detent: Detent, words: readonly string[]): Promise<Offer[]> {
  const runId = words.find((word) => word.startsWith('run_'));
  if (runId === undefined) return [];
  const { pending } = await detent.runs.show(runId);
  const isReconciled = words[1] === 'reconcile';
  return pending
    .filter((call) => (call.kind === 'reconcile') === isReconciled)
    .map(({ callId, name, arguments: given }) => [callId, printable(`${name} ${JSON.stringify(given)}`)]);
}

function when(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** The words may be half typed, so only what says where the database is is read off them. */
function placeOf(words: readonly string[]): Flags {
  const named = (name: string) => {
    const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
    if (at < 0) return undefined;
    return words[at] === name ? words[at + 1] : words[at]?.slice(name.length + 1);
  };
  return { workspace: named('--workspace') || undefined, db: named('--db') || undefined };
}
