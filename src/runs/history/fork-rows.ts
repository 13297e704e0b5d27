import { whyAsked } from '../../agent/tool-call/close-calls.ts';
import { callName } from '../../records/call-id.ts';
import { type CallInput, withoutRewrite } from '../../records/call-input.ts';
import type { Program } from '../../store/program.ts';
import type { ConfirmationRow, EffectRow, RunRow } from '../../store/rows.ts';
import { ask } from '../statements.ts';
import type { Target } from './copy-run.ts';
import { inputFromLog, type LoggedCalls, loggedCalls } from './lost-input.ts';
import type { ConfirmationAt, EffectAt, RunAt } from './rows-at.ts';

/** An open effect of a fork. It does not start before the fork is resumed. */
export interface OpenEffect {
  effect: number;
  name: string;
  /**
   * `pending` starts on resume; `held` waits for a decision or its turn; `uncertain` waits for a person to say what became
   * of it in the original.
   */
  status: 'pending' | 'held' | 'uncertain';
  /** Of a tool call: its id, its tool and its redacted arguments. */
  callId?: string;
  tool?: string;
  arguments?: string;
}

const openStatus: Readonly<Record<EffectAt['status'], EffectRow['status']>> = {
  held: 'held',
  open: 'pending',
  uncertain: 'uncertain',
  done: 'done',
  cancelled: 'cancelled',
};

/** Copies the effects that the log had requested by then; returns the open ones. */
export function* copyEffects(
  row: RunRow,
  was: RunAt,
  run: number,
  { tenant, at }: Target,
  redact: (text: string) => string,
): Program<OpenEffect[]> {
  const open: OpenEffect[] = [];
  const logged = yield* loggedCalls(row);
  for (const effect of yield* ask('listEffects', { run: row.pk })) {
    const then = was.effects.get(effect.n);
    if (!then) continue;
    const status = openStatus[then.status];
    const isOpen = status !== 'done' && status !== 'cancelled';
    const input = isOpen ? inputAt(row, effect, was, logged) : null;
    const attempt = isOpen ? 0 : effect.attempt;
    const { n } = effect;
    const { name, params } = then;
    yield* ask('insertEffect', {
      run,
      tenant,
      n,
      name,
      params,
      input,
      status,
      attempt,
      driver: null,
      fence: 0,
      at,
    });
    if (!isOpen) continue;
    const call = input === null ? null : (JSON.parse(input) as CallInput);
    open.push({
      effect: n,
      name,
      status: status as OpenEffect['status'],
      ...(call && { callId: callName(n), tool: call.name, arguments: redact(call.arguments) }),
    });
  }
  return open;
}

/** The bytes to execute at that transition: a person may have changed the arguments later. */
function inputAt(row: RunRow, { n, input }: EffectRow, was: RunAt, logged: LoggedCalls): string | null {
  if (input === null) {
    const lost = inputFromLog(row, n, was, logged);
    return lost && JSON.stringify(lost);
  }
  // A call that runs again in the fork asks its questions again.
  const { answers: _, ...then } = withoutRewrite(JSON.parse(input) as CallInput);
  if (was.modified.has(n)) return JSON.stringify(then);
  const { asked, modified: isModified, answer, ...call } = then;
  if (answer !== undefined) return JSON.stringify(call);
  return JSON.stringify(isModified && asked ? { ...call, ...asked } : then);
}

/** Copies the questions to people as they were at that transition. */
export function* copyConfirmations(
  row: RunRow,
  was: RunAt,
  run: number,
  { tenant }: Target,
  redact: (text: string) => string,
): Program<void> {
  const { calls } = yield* loggedCalls(row);
  const rows = Map.groupBy(yield* ask('listConfirmations', { run: row.pk }), ({ call }) => call);
  for (const [call, stored] of rows)
    for (const then of was.confirmations.get(call) ?? []) {
      const same = stored.find((one) => isSameQuestion(one, then));
      // An older version of Detent kept only the last question about a call; the first one comes from the call itself.
      const asked =
        same ?? (yield* firstQuestion(row, stored[0] as ConfirmationRow, then, { calls, redact }));
      const { askedAt } = then;
      const kind = same?.kind ?? then.kind;
      const { hash, body } = asked;
      yield* ask('insertConfirmation', { run, tenant, call, kind, hash, body, askedAt });
      if (then.status === 'open') continue;
      const decision = same?.decision ?? redact(JSON.stringify(then.decision));
      yield* ask('decideConfirmation', { run, call, status: then.status, decision });
    }
}

/** The machine only requests decisions; only the row knows that one of them answers `ask_user`. */
function isSameQuestion(stored: ConfirmationRow, then: ConfirmationAt): boolean {
  if (stored.askedAt !== then.askedAt) return false;
  const { key } = JSON.parse(stored.body) as { key?: string };
  if (then.asked) return key === then.asked.key;
  return stored.kind === then.kind || (stored.kind === 'question' && then.kind === 'confirm' && !key);
}

function* firstQuestion(
  row: RunRow,
  { call, hash, body }: ConfirmationRow,
  then: ConfirmationAt,
  { calls, redact }: Pick<LoggedCalls, 'calls'> & { redact: (text: string) => string },
): Program<Pick<ConfirmationRow, 'hash' | 'body'>> {
  const effect = yield* ask('findEffect', { run: row.pk, n: call });
  const logged = calls.get(call);
  const stored = effect?.input
    ? withoutRewrite(JSON.parse(effect.input) as CallInput)
    : logged && { why: '', ...logged, hash };
  if (!stored) return { hash, body };
  const { name, asked, ...input } = { asked: undefined, ...stored };
  const { arguments: raw, why, hash: shown } = asked ?? input;
  if (then.asked) {
    const question = { name, arguments: raw, why: whyAsked.question, ...then.asked };
    return { hash: shown, body: redact(JSON.stringify(question)) };
  }
  return { hash: shown, body: redact(JSON.stringify({ name, arguments: raw, why })) };
}
