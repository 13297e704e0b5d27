import type { GivenCall } from '../../../store/run-options.ts';
import type { LogEvent } from '../../../store/stored-call.ts';
import { shellWord } from '../../../text/wording.ts';
import { brief } from './chain.ts';
import { callOf, callsOf, type Evidence } from './evidence.ts';
import { advice, continueWith, type Finding, forkAt, thenResume, times } from './finding.ts';
import { callLine, limitReached, where } from './limit-reached.ts';
import { refusedByPolicy, troubleOnTheWay } from './on-the-way.ts';
import { attemptsAtLastCall, contextOverflow, modelFailed } from './provider.ts';
import { died } from './waiting.ts';

/** Why a run ended as it did. */
export function ended(evidence: Evidence): Finding {
  const { output, status } = evidence;
  if (status === 'done') return completed(evidence);
  if (status === 'cancelled') return cancelled(evidence);
  const code = output?.error?.code ?? '';
  const finding = limitReached(evidence, code) ?? byCode(evidence, code);
  return finding ?? internal(evidence);
}

function byCode(evidence: Evidence, code: string): Finding | null {
  switch (code) {
    case 'CONTEXT_OVERFLOW':
      return contextOverflow(evidence);
    case 'POISONED':
      return poisoned(evidence);
    case 'BLOCKED_BY_POLICY':
      return blockedByPolicy(evidence);
    case 'CONTENT_FILTERED':
    case 'REFUSED':
    case 'TRUNCATED':
      return badAnswer(evidence, code);
    case 'INVALID_OUTPUT':
      return invalidOutput(evidence);
    default:
      return evidence.transitions.at(-1)?.event.type === 'model.failed' &&
        attemptsAtLastCall(evidence).length > 0
        ? modelFailed(evidence)
        : null;
  }
}

function completed(evidence: Evidence): Finding {
  const { context, output, options } = evidence;
  const { steps, loss } = context;
  if (options.call) return madeItsCall(evidence, options.call);
  const answer = evidence.answers.at(-1);
  const isDegraded = output?.outcome === 'completed_degraded';
  const losses = {
    memory: 'the note to the memory file failed before the compaction',
    history: 'compaction failed, so the prompt left out the oldest part of the conversation',
  };
  const why = loss ? losses[loss] : `the model gave ${context.empty} empty answers in a row`;
  const trouble = troubleOnTheWay(evidence);
  return {
    cause: isDegraded ? 'completed_degraded' : 'completed',
    summary: isDegraded
      ? `the run completed, but degraded: ${why}`
      : `the model (${answer?.model || options.model}) answered without asking for another tool, after ${steps} ${steps === 1 ? 'step' : 'steps'}: "${brief(answer?.text ?? '')}"`,
    details: trouble.length > 0 ? ['before that:', ...trouble] : [],
    next: [advice('continue the conversation', continueWith(evidence))],
  };
}

/** The end of a run that makes one given call: whatever the result, the run has done its work. */
function madeItsCall(evidence: Evidence, { name }: GivenCall): Finding {
  const result = callsOf(evidence).at(-1)?.result;
  const trouble = troubleOnTheWay(evidence);
  const said = brief(result?.text ?? '');
  if (evidence.options.ask)
    return {
      cause: 'completed',
      summary: `the run asked a person what its workflow wanted to know: "${said}"`,
      details: trouble,
      next: [],
    };
  const came = result?.isError ? `did not succeed (${result.code ?? 'TOOL_FAILED'})` : 'succeeded';
  return {
    cause: 'completed',
    summary: `the run made the one call that it was given, of ${name}, which ${came}: "${said}"`,
    details: trouble,
    next: [],
  };
}

function cancelled(evidence: Evidence): Finding {
  const last = evidence.transitions.at(-1);
  const { reason, by }: Partial<LogEvent> = last?.event ?? {};
  return {
    cause: 'cancelled',
    summary: `the run was cancelled while it was ${where(last?.from ?? 'idle')}${by === undefined ? '' : ` by ${by}`} (${reason === undefined ? 'no reason given' : `reason: "${reason}"`})`,
    details: [...evidence.effects.values()].flatMap(({ n, name, status }) => {
      const call = name === 'effect.runTool' && status === 'cancelled' ? callOf(evidence, n) : null;
      return call?.result ? [callLine(call)] : [];
    }),
    next: [
      advice('continue the conversation', continueWith(evidence)),
      ...(last && last.seq > 1
        ? [advice(`or fork it from before it was cancelled, ${thenResume}`, forkAt(evidence, last.seq - 1))]
        : []),
    ],
  };
}

function poisoned(evidence: Evidence): Finding {
  const last = evidence.transitions.at(-1);
  const n = last?.event.effectId ?? 0;
  const effect = evidence.effects.get(n);
  const call = effect?.name === 'effect.runTool' ? callOf(evidence, n) : null;
  const what = call
    ? `${call.name}(${brief(call.arguments)})`
    : `${effect?.name ?? 'an effect'} (effect ${n})`;
  const resumed = evidence.transitions.filter(
    ({ event }) => event.type === 'run.resumed' && !event.isSameDriver,
  );
  return {
    cause: 'poisoned',
    summary: `${what} was started ${times(effect?.attempt ?? 3)} and the process died each time before the result, so Detent does not start it again`,
    details: [
      `the last time, ${died(evidence, effect)}`,
      ...resumed.map(({ seq }) => `seq ${seq}: a new process took the run over and started it again`),
    ],
    next: [
      advice(
        `find out why ${call ? `the tool "${call.name}"` : 'it'} kills its process (memory, a native crash, a signal)`,
      ),
      advice('then continue the conversation', continueWith(evidence)),
    ],
  };
}

function blockedByPolicy(evidence: Evidence): Finding {
  const refused = refusedByPolicy(evidence);
  const last = refused.at(-1);
  const tools = [...new Set(refused.map(({ name }) => name))].join(', ');
  return {
    cause: 'blocked_by_policy',
    summary: `policy, not a person, refused the calls that the model needed (${tools}): ${brief(last?.result?.text ?? '')}`,
    details: refused.slice(-3).map(callLine),
    next: [
      last?.result?.code === 'TOOL_NOT_ALLOWED'
        ? advice(
            'allow the tool and continue the conversation',
            continueWith(evidence, `--tools ${shellWord(tools.replaceAll(' ', ''))}`),
          )
        : advice(
            'let a person decide, and continue the conversation',
            continueWith(evidence, '--approve ask'),
          ),
    ],
  };
}

function badAnswer(evidence: Evidence, code: string): Finding {
  const { transitions, options } = evidence;
  const answer = evidence.answers.at(-1);
  const last = transitions.at(-1);
  const said = brief(answer?.refusal || answer?.text || '');
  const asked = forkAt(evidence, Math.max(0, (last?.seq ?? 1) - 1), '--edit-message "TEXT"');
  const rephrase = advice(`rephrase the request in a fork, ${thenResume}`, asked);
  const words = said === '' ? '' : `: "${said}"`;
  const finish = answer?.finishReason ?? code.toLowerCase();
  if (code === 'CONTENT_FILTERED')
    return {
      cause: 'content_filter',
      summary: `the content filter of ${options.model} cut the answer (finish reason "${finish}")${words}`,
      details: ['the model call itself worked: the provider held back what the model wrote'],
      next: [rephrase],
    };
  if (code === 'REFUSED')
    return {
      cause: 'refusal',
      summary: `the model (${answer?.model || options.model}) refused to answer${words}`,
      details: [`finish reason "${finish}"`],
      next: [rephrase],
    };
  const tokens = answer?.usage?.outputTokens;
  return {
    cause: 'truncated',
    summary: `the answer hit the model's output limit (finish reason "${finish}"${tokens === undefined ? '' : `, ${tokens} tokens out`}) and is cut off there${words}`,
    details: [],
    next: [
      advice('ask for the rest, or for less', continueWith(evidence)),
      { ...rephrase, text: `or ${rephrase.text}` },
    ],
  };
}

function invalidOutput(evidence: Evidence): Finding {
  const { options, transitions } = evidence;
  const answers = evidence.answers.filter(({ unfit }) => unfit !== undefined);
  const last = transitions.at(-1);
  const asked = forkAt(evidence, Math.max(0, (last?.seq ?? 1) - 1), '--model PROVIDER/MODEL');
  return {
    cause: 'invalid_output',
    summary: `the answer of ${answers.at(-1)?.model || options.model} does not fit the output schema, although it was shown the errors of the first one`,
    details: answers.flatMap(({ text, unfit = '' }) => [`answer: "${brief(text)}"`, ...unfit.split('\n')]),
    next: [
      advice(`ask another model in a fork, ${thenResume}`, asked),
      advice('or describe in the prompt what each field of the schema should hold, or ask for less'),
    ],
  };
}

function internal(evidence: Evidence): Finding {
  const { output, row } = evidence;
  const { code = 'INTERNAL', message = 'no error was stored' } = output?.error ?? {};
  return {
    cause: output?.outcome ?? 'internal_error',
    summary: `${code}: ${message}`,
    details: [
      ...(row.faults > 0 ? [`the statechart threw ${times(row.faults)} on this run`] : []),
      ...troubleOnTheWay(evidence),
    ],
    next: [advice('continue the conversation in a new run', continueWith(evidence))],
  };
}
