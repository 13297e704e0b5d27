import type { WorkflowAnswer } from '../../../index.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, texts, usage, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { outputOptions } from '../../settings/run-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { topRun } from '../runs/decide.ts';
import { findAgentRun } from '../runs/find-agent-run.ts';
import { resumeRun } from '../runs/resume.ts';
import { objectFlag } from './json-flag.ts';

/** `detent workflow answer RUN INVOCATION`. */
export async function answerWorkflow(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const invocation = word(words, 1, 'INVOCATION');
  const output = outputOptions(flags, io);
  const answer = await answerOf(flags, io);
  const key = text(flags, 'key');
  const options = await loadOptions(flags, io);
  requireDatabase(options, named);
  return withDetent(options, async (detent) => {
    const runId = await findAgentRun(detent, named);
    const by = key === undefined ? {} : { idempotencyKey: key };
    const result = await detent.workflows.answer(runId, invocation, answer, by);
    const isToFollow = result.stands && flags.detach !== true;
    const said = `${result.applied ? '' : 'already '}decided: ${result.verdict}`;
    if (isToFollow) {
      if (!flags.json && !output.quiet) io.say(said);
      const top = await topRun(detent, runId);
      return resumeRun(detent, top.runId, {}, output, io);
    }
    if (flags.json) io.json({ runId, invocation, ...result, status: (await detent.runs.show(runId)).status });
    else io.out(`${said}\n`);
    if (result.stands) return exit.ok;
    io.say(`detent: this answer came too late and changed nothing: "${result.verdict}" stands`);
    return exit.failed;
  });
}

async function answerOf(flags: Flags, io: Io): Promise<WorkflowAnswer> {
  const answers = texts(flags, 'answer');
  const reason = text(flags, 'reason');
  const chosen = [flags.approve, flags.reject, answers.length > 0, flags.form !== undefined];
  if (chosen.filter(Boolean).length !== 1)
    throw usage('choose one of --approve, --reject, --answer TEXT and --form JSON');
  if (reason !== undefined && !flags.reject) throw usage('--reason goes with --reject');
  if (flags.approve) return { approved: true };
  if (flags.reject) return { approved: false, ...(reason !== undefined && { reason }) };
  const form = await objectFlag(flags, 'form', io);
  if (form !== undefined) return { answer: form as never };
  const [answer = '', ...more] = answers;
  return { answer: more.length > 0 ? [answer, ...more] : answer };
}
