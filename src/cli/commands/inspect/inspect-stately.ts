import type { Detent, LoggedEvent } from '../../../index.ts';
import { type Flags, usage } from '../../settings/flags.ts';
import { isYes } from '../../terminal/ask-yes.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { askedToStop } from '../serve/serve-command.ts';
import { openBridge, statelyPage } from './bridge.ts';
import { openForPerson } from './open-browser.ts';

interface Inspection {
  detent: Detent;
  flags: Flags;
  io: Io;
  runId: string;
}

/** `detent inspect RUN --stately`: a page of someone else gets the run, so a person agrees to that first. */
export async function inspectAtStately(inspection: Inspection): Promise<number> {
  const { detent, flags, io, runId } = inspection;
  const messages = () => detent.runs.inspect(runId);
  if (flags.json) {
    for await (const message of messages()) io.json(message);
    return exit.ok;
  }
  const events = await detent.runs.events(runId);
  io.say(described(runId, events));
  if (!flags.yes && !(await isAgreed(io))) {
    io.say('nothing was sent');
    return exit.cancelled;
  }
  const asked = askedToStop(io);
  const bridge = await openBridge(messages, io.complain);
  try {
    io.out(`${bridge.url}\n`);
    openForPerson(bridge.url, flags, io);
    io.say(`the page there hands the run to ${statelyPage}, as long as this command runs; Ctrl-C stops it`);
    await asked.once;
    return exit.ok;
  } finally {
    await bridge.stop();
    asked.stop();
  }
}

function described(runId: string, events: readonly LoggedEvent[]): string {
  const counts = new Map<string, number>();
  for (const { event } of events) counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
  const types = [...counts].map(([type, count]) => (count === 1 ? type : `${type} ×${count}`));
  return [
    `${statelyPage} is a page of Stately, not of Detent. From this machine it would get, of ${runId} and its sub-runs:`,
    '  the chart   its states and events, and the names of its guards and actions',
    `  the events  ${types.join(', ') || 'none yet'}; with their data: costs, errors, questions of the agent, what people decided`,
    '  the context after each event: counters, limits, ids of calls',
    'and the same for everything that happens to the run from now on. It would not get prompts, answers, results of tools, files and known secrets.',
    `To see each message first: detent inspect ${runId} --stately --json`,
  ].join('\n');
}

/** @throws DetentError `USAGE` without a terminal. */
async function isAgreed(io: Io): Promise<boolean> {
  if (!io.isAttended()) throw usage('there is no terminal to ask on; agree with --yes to send it');
  return isYes('Send it to stately.ai?', io);
}
