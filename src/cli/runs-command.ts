import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfirmDecision, ReconcileDecision } from '../agent/runs.ts';
import { createDetent, type Detent, DetentError, type DetentOptions, type RunView } from '../index.ts';
import { parseJson } from '../protocol/json.ts';
import { loadOptions } from './config-file.ts';
import { driveRun } from './drive.ts';
import { exit, exitCodeOfRun } from './exit-codes.ts';
import { out, say } from './output.ts';
import { type Flags, type Parsed, parse, text, usage, wholeNumber } from './parse.ts';
import { outputFlags, outputOptions } from './run-options.ts';

/** `detent runs list|show|confirm|reconcile|resume`. */
export async function runsCommand([verb, ...args]: readonly string[]): Promise<number> {
  const command = verb === undefined ? undefined : verbs[verb];
  if (!command)
    throw usage(
      `"detent runs" knows ${Object.keys(verbs).join(', ')}${verb === undefined ? '' : `, not "${verb}"`}`,
    );
  return command(args);
}

const verbs: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  list: async (args) => {
    const { flags } = parse(
      args,
      { json: { type: 'boolean' }, session: { type: 'string' }, limit: { type: 'string' } },
      0,
    );
    const options = await loadOptions(flags);
    const session = text(flags, 'session');
    const limit = wholeNumber(flags, 'limit', 1) ?? 100;
    const filter = { limit, ...(session !== undefined && { session }) };
    const runs = hasDatabase(options) ? await reading(options, (detent) => detent.runs.list(filter)) : [];
    if (flags.json) out(`${JSON.stringify(runs)}\n`);
    else
      for (const run of runs)
        out(
          `${run.runId}  ${run.status.padEnd(11)}  ${new Date(run.updatedAt).toISOString()}  ${run.sessionId}\n`,
        );
    return exit.ok;
  },

  show: async (args) => {
    const { flags, words } = parse(args, { json: { type: 'boolean' } }, 1);
    const runId = word(words, 0, 'RUN');
    const options = await loadOptions(flags);
    if (!hasDatabase(options))
      throw new DetentError('NOT_FOUND', `no run "${runId}": this workspace has no database yet`);
    const view = await reading(options, (detent) => detent.runs.show(runId));
    out(flags.json ? `${JSON.stringify(view)}\n` : describe(view));
    return exit.ok;
  },

  confirm: async (args) => {
    const flagsOf = {
      json: { type: 'boolean' },
      approve: { type: 'boolean' },
      reject: { type: 'boolean' },
      reason: { type: 'string' },
      modify: { type: 'string' },
      hash: { type: 'string' },
    } as const;
    const parsed = parse(args, flagsOf, 2);
    const decision = confirmDecision(parsed.flags);
    return decide(parsed, (detent, runId, call) => detent.runs.confirm(runId, call, decision));
  },

  reconcile: async (args) => {
    const flagsOf = {
      json: { type: 'boolean' },
      ran: { type: 'boolean' },
      result: { type: 'string' },
      retry: { type: 'boolean' },
      skip: { type: 'boolean' },
    } as const;
    const parsed = parse(args, flagsOf, 2);
    const decision = reconcileDecision(parsed.flags);
    return decide(parsed, (detent, runId, call) => detent.runs.reconcile(runId, call, decision));
  },

  resume: async (args) => {
    const { flags, words } = parse(args, { ...outputFlags, all: { type: 'boolean' } }, 1);
    const output = outputOptions(flags);
    if (flags.all ? words.length > 0 : words.length === 0)
      throw usage('"detent runs resume" takes a RUN or --all');
    const options = await loadOptions(flags);
    if (!hasDatabase(options)) {
      if (flags.all) return exit.ok;
      throw new DetentError('NOT_FOUND', `no run "${words[0]}": this workspace has no database yet`);
    }
    const detent = createDetent(options);
    try {
      const [runId] = words;
      if (runId === undefined) return await resumeAll(detent, flags);
      const handle = detent.runs.attach(runId);
      await handle.started;
      await detent.runs.resume({ runId });
      return await driveRun(detent, handle, { ...output, interactive: process.stdin.isTTY === true });
    } finally {
      await detent.close();
    }
  },
};

async function resumeAll(detent: Detent, flags: Flags): Promise<number> {
  const ids = await detent.runs.resume();
  const views: RunView[] = [];
  for (const id of ids) views.push(await detent.runs.attach(id).result);
  if (flags.json) out(`${JSON.stringify(views)}\n`);
  else
    for (const view of views)
      out(`${view.runId}  ${view.status}${view.outcome ? `  ${view.outcome}` : ''}\n`);
  const codes = views.map(exitCodeOfRun);
  return (
    codes.find((code) => code !== exit.ok && code !== exit.waiting) ??
    codes.find((code) => code !== exit.ok) ??
    exit.ok
  );
}

async function decide(
  { flags, words }: Parsed,
  send: (detent: Detent, runId: string, call: string) => Promise<{ applied: boolean; verdict: string }>,
): Promise<number> {
  const runId = word(words, 0, 'RUN');
  const call = word(words, 1, 'CALL');
  const options = await loadOptions(flags);
  if (!hasDatabase(options))
    throw new DetentError('NOT_FOUND', `no run "${runId}": this workspace has no database yet`);
  const detent = createDetent(options);
  try {
    const result = await send(detent, runId, call);
    const { status } = await detent.runs.show(runId);
    if (flags.json) out(`${JSON.stringify({ ...result, status })}\n`);
    else say(result.applied ? `decided: ${result.verdict}` : `already decided: ${result.verdict}`);
    if (!flags.json && status === 'waiting') say(`more decisions are open; see "detent runs show ${runId}"`);
    if (!flags.json && status === 'interrupted') say(`carry the run on with: detent runs resume ${runId}`);
    return exit.ok;
  } finally {
    await detent.close();
  }
}

function confirmDecision(flags: Flags): ConfirmDecision {
  const modify = text(flags, 'modify');
  const chosen = [flags.approve, flags.reject, modify !== undefined].filter(Boolean).length;
  if (chosen !== 1) throw usage('choose one of --approve, --reject and --modify JSON');
  const hash = text(flags, 'hash');
  const reason = text(flags, 'reason');
  if (reason !== undefined && !flags.reject) throw usage('--reason goes with --reject');
  const seen = hash === undefined ? {} : { hash };
  if (flags.approve) return { verdict: 'approve', ...seen };
  if (flags.reject) return { verdict: 'reject', ...seen, ...(reason !== undefined && { reason }) };
  if (parseJson(modify ?? '') === undefined)
    throw usage('--modify takes the new arguments as JSON, in quotes');
  return { verdict: 'modify', ...seen, arguments: modify };
}

function reconcileDecision(flags: Flags): ReconcileDecision {
  if ([flags.ran, flags.retry, flags.skip].filter(Boolean).length !== 1)
    throw usage('choose one of --ran, --retry and --skip');
  const result = text(flags, 'result');
  if (result !== undefined && !flags.ran) throw usage('--result goes with --ran');
  if (flags.ran) return { verdict: 'ran', ...(result !== undefined && { result }) };
  return { verdict: flags.retry ? 'retry' : 'skip' };
}

function word(words: readonly string[], index: number, name: string): string {
  const value = words[index];
  if (value === undefined) throw usage(`${name} is missing`);
  return value;
}

function hasDatabase({ database, workspace }: DetentOptions): boolean {
  return existsSync(database?.file ?? resolve(workspace ?? '.', '.detent', 'detent.db'));
}

async function reading<T>(options: DetentOptions, read: (detent: Detent) => Promise<T>): Promise<T> {
  const detent = createDetent({ ...options, readonly: true });
  try {
    return await read(detent);
  } finally {
    await detent.close();
  }
}

function describe(view: RunView): string {
  const { usage: used } = view;
  const lines = [
    `run      ${view.runId}`,
    `session  ${view.sessionId}`,
    `status   ${view.status}${view.outcome ? ` (${view.outcome})` : ''}`,
    `states   ${view.states.join(' → ')}`,
    `tokens   ${used.inputTokens} in, ${used.outputTokens} out${used.costUsd === null ? '' : `, $${used.costUsd.toFixed(4)}`}`,
  ];
  view.steps.forEach((step, i) => {
    lines.push('', `step ${i + 1}   ${step.model}${step.finishReason ? `, ${step.finishReason}` : ''}`);
    for (const call of step.toolCalls)
      lines.push(
        `  ${call.callId} ${call.name} ${call.argumentsRaw}`,
        `     ${call.status}${call.code ? ` ${call.code}` : ''}${call.decision ? `, ${call.decision}` : ''}: ${firstLine(call.result)}`,
      );
    if (step.text) lines.push(step.text);
    if (step.error) lines.push(`  broke off: ${step.error.message}`);
  });
  for (const { kind, callId, name, why } of view.pending)
    lines.push('', `asks     ${kind} ${callId} ${name} (${why})`);
  if (view.error) lines.push('', `error    ${view.error.code}: ${view.error.message}`);
  return `${lines.join('\n')}\n`;
}

function firstLine(result: string | null): string {
  const [line = ''] = (result ?? '').split('\n');
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}
