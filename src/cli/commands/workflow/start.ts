import type { WorkflowAnswer } from '../../../index.ts';
import { DetentError } from '../../../protocol/error.ts';
import { modelOf } from '../../../runtime/requests.ts';
import { nodesOf } from '../../../workflow/check.ts';
import { type ChartService, servicesOf } from '../../../workflow/facade.ts';
import type { Workflow } from '../../../workflow/workflow.ts';
import { driveRun } from '../../drive/drive.ts';
import { printIds } from '../../drive/report-end.ts';
import { withPort } from '../../drive/with-detent.ts';
import { type Port, readLog } from '../../port/port.ts';
import { type Flags, text, texts, usage, word } from '../../settings/flags.ts';
import { type CliOptions, loadOptions } from '../../settings/load-options.ts';
import { outputOptions } from '../../settings/run-options.ts';
import { withModel } from '../../settings/with-model.ts';
import { exit, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { readJson, readJsonObject } from '../read-json.ts';
import { afterDecision } from '../runs/decide.ts';
import { onRun } from '../runs/follow.ts';
import { resumeRun } from '../runs/resume.ts';
import { usableFile } from './show.ts';

/** `detent workflow start WORKFLOW`. */
export async function startWorkflow(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = word(words, 0, 'WORKFLOW');
  const output = outputOptions(flags, io);
  const input = await jsonFlag(flags, 'input', io);
  const key = text(flags, 'key');
  const options = await modelledOptions(flags, io);
  // Before a database is made.
  const workflow = options.server ? null : usableFile((await options.machines?.()) ?? [], id).workflow;
  if (workflow && !output.quiet) warnOfDemo(workflow, options, io);
  return withPort(options, async (port) => {
    const request = {
      ...(key !== undefined && { idempotencyKey: key }),
      ...(flags.detach === true && { isLeft: true }),
    };
    const since = Date.now();
    const handle = port.startWorkflow(workflow?.id ?? id, input ?? null, request);
    await handle.started.catch((error) => {
      throw input === undefined ? namingInput(error) : error;
    });
    if (flags.detach) {
      const runId = await handle.started;
      const { sessionId, status } = await port.show(runId);
      if (flags.json) io.json({ runId, sessionId, status });
      else io.out(`${runId}\n`);
      if (!output.quiet)
        io.say(
          `watch it with: detent runs follow ${runId}; or continue it here: detent runs resume ${runId}`,
        );
      return exit.ok;
    }
    const driving = {
      ...output,
      interactive: io.isAttended(),
      isWorkflow: true,
      isLeftOnInterrupt: true,
      since,
    };
    const view = await driveRun(port, handle, driving, io);
    printIds(view, output, io);
    return exitCodeOfRun(view);
  });
}

/** With the model of --model or DETENT_MODEL, for the runs of services that name none. */
async function modelledOptions(flags: Flags, io: Io): Promise<CliOptions> {
  const options = await loadOptions(flags, io);
  if (!options.server) return withModel(options, flags, io);
  if (flags.model !== undefined)
    throw usage('a gateway chooses the models itself: use --model without --server');
  return options;
}

/** The demo makes up what a schema asks for, and the chart would continue with that. */
function warnOfDemo({ chart }: Workflow, options: CliOptions, io: Io): void {
  if (options.model !== undefined || modelOf({}, options) !== 'demo/demo') return;
  const ids = modelless(chart, options);
  if (ids.length === 0) return;
  io.say(
    `detent: no model is configured, so the demo answers for ${ids.join(', ')} by fixed rules, with made-up values. Name a model with --model, DETENT_MODEL or "model" of the configuration`,
  );
}

/** The ids of invocations whose runs name no model: those of charts below have the id of their own chart before them. */
function modelless(
  chart: Workflow['chart'],
  options: CliOptions,
  above: readonly Workflow['chart'][] = [],
): string[] {
  if (above.includes(chart)) return [];
  const services = servicesOf(chart);
  return [...nodesOf(chart.root)].flatMap(({ invoke }) =>
    invoke.flatMap(({ id, src }) => {
      const service = services.get(String(src));
      if (service?.kind === 'workflow')
        return modelless(service.chart, options, [...above, chart]).map((inner) => `${id}.${inner}`);
      return hasModel(service, options) === false ? [id] : [];
    }),
  );
}

/** Whether a service names its model; null for one that needs none. */
function hasModel(service: ChartService | undefined, { agents = {} }: CliOptions): boolean | null {
  if (service?.kind === 'model') return service.model !== undefined;
  return service?.kind === 'agent' ? agents[service.agent ?? 'default']?.model !== undefined : null;
}

function namingInput(error: unknown): unknown {
  if (!DetentError.is(error) || error.code !== 'INVALID_INPUT') return error;
  const { code, message, details } = error;
  return new DetentError(code, `${message}; give it with --input JSON, or --input @FILE`, {
    ...(details && { details }),
    cause: error,
  });
}

/** `detent workflow send RUN EVENT`. */
export async function sendToWorkflow(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const type = word(words, 1, 'EVENT');
  const output = outputOptions(flags, io);
  const data = await objectFlag(flags, 'data', io);
  if (data !== undefined && 'type' in data) throw usage('--data has the other fields; EVENT is the "type"');
  const key = text(flags, 'key');
  const options = await modelledOptions(flags, io);
  return onRun(withPort, options, named, async (port, runId) => {
    const by = key === undefined ? {} : { idempotencyKey: key };
    const since = Date.now();
    // Only a key makes a command a repeated one.
    const before = key === undefined ? -1 : await timesSent(port, runId, type);
    const { taken: isTaken } = await port.ask('workflow.send', { runId, event: { ...data, type }, ...by });
    const said = isTaken && before === (await timesSent(port, runId, type)) ? 'already sent' : 'sent';
    const { status } = await port.show(runId);
    const isToFollow = isTaken && flags.detach !== true;
    if (flags.json && !isToFollow) io.json({ runId, taken: isTaken, status });
    if (isToFollow) {
      if (said !== 'sent' && !flags.json && !output.quiet) io.say(said);
      return resumeRun(port, runId, {}, output, io, since);
    }
    if (isTaken) {
      if (!flags.json) io.out(`${said}\n`);
      return exit.ok;
    }
    const { allowed } = await port.ask('run.get', { runId });
    const guard = allowed.find((one) => one.type === type)?.guard;
    const why = guard === undefined ? '' : `: the guard ${guard} returns false`;
    io.say(
      `detent: run ${runId} does not accept "${type}" now${why}; see which events it accepts: detent runs why ${runId}`,
    );
    return exit.failed;
  });
}

async function timesSent({ ask }: Port, runId: string, type: string): Promise<number> {
  let times = 0;
  for await (const { event } of readLog(ask, runId)) if (event.type === type) times += 1;
  return times;
}

/** `detent workflow answer RUN INVOCATION`. */
export async function answerWorkflow(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const invocation = word(words, 1, 'INVOCATION');
  const output = outputOptions(flags, io);
  const answer = await readAnswer(flags, io);
  const key = text(flags, 'key');
  const options = await modelledOptions(flags, io);
  return onRun(withPort, options, named, async (port, runId) => {
    const by = key === undefined ? {} : { idempotencyKey: key };
    const result = await port.ask('workflow.answer', { runId, invocation, answer, ...by });
    const isResumed = flags.detach !== true;
    return afterDecision(port, runId, result, { of: { invocation }, isResumed, flags, output }, io);
  });
}

async function readAnswer(flags: Flags, io: Io): Promise<WorkflowAnswer> {
  const answers = texts(flags, 'answer');
  const reason = text(flags, 'reason');
  const chosen = [flags.approve, flags.reject, answers.length > 0, flags.form !== undefined];
  if (chosen.filter(Boolean).length !== 1)
    throw usage('choose one of --approve, --reject, --answer TEXT and --form JSON');
  if (reason !== undefined && !flags.reject) throw usage('--reason goes with --reject');
  if (flags.approve) return { approved: true };
  if (flags.reject) return { approved: false, ...(reason !== undefined && { reason }) };
  const form = await objectFlag(flags, 'form', io);
  if (form !== undefined) return { answer: form as Extract<WorkflowAnswer, { answer: unknown }>['answer'] };
  const [answer = '', ...more] = answers;
  return { answer: more.length > 0 ? [answer, ...more] : answer };
}

/** The JSON that a flag gives, names a file of, or reads from stdin; undefined without the flag. @throws DetentError `USAGE`. */
async function jsonFlag(flags: Flags, name: string, io: Io): Promise<unknown> {
  const given = text(flags, name);
  return given === undefined ? undefined : readJson(given, `--${name}`, io);
}

/** The same for an object. @throws DetentError `USAGE`. */
async function objectFlag(flags: Flags, name: string, io: Io): Promise<Record<string, unknown> | undefined> {
  const given = text(flags, name);
  return given === undefined ? undefined : readJsonObject(given, `--${name}`, io);
}
