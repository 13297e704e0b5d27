import type { RunRequest, ToolCallRequest } from '../../index.ts';
import { seenUser } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import type { agentMethods as declared, MethodInput } from '../../protocol/methods.ts';
import { inTime } from '../../text/limiter.ts';
import { didYouMean, nearestName } from '../../text/wording.ts';
import { userOf } from '../access/owners.ts';
import { refuseBeyond } from '../feeds/beyond.ts';
import {
  approvesAll,
  byOf,
  type Call,
  givenOf,
  type Need,
  namedRun,
  needOf,
  type Performers,
  requestOf,
  rightsOf,
} from './method.ts';
import { viewOf } from './run-views.ts';

/** The options that only the host or an administrator sets: model, instructions, limits and budget of a run. */
const hostsOwn = ['system', 'model', 'limits', 'budget'] as const;

type RunInput = MethodInput<'agent.run'>;

function needsOf(input: RunInput): Need[] {
  return [...approvesAll(input), ...needOf('admin', givenOf(input, hostsOwn))];
}

/** The user whose conversation the run continues. */
async function ownerOf(
  call: Call,
  { sessionId, after }: Pick<RunInput, 'sessionId' | 'after'>,
): Promise<string | null> {
  if (after !== undefined) return (await call.detent.runs.ownerOf(after, call.caller.tenantId)).userId;
  return sessionId === undefined ? call.caller.userId : userOf(call, sessionId);
}

/** For whom a run is, and who asks for it. A run that the host adds to a user's session is that user's. */
async function askedBy(call: Call, input: Pick<RunInput, 'sessionId' | 'after'>) {
  const { caller } = call;
  const userId = seenUser(caller) ?? (await ownerOf(call, input));
  return { principal: { tenantId: caller.tenantId, ...(userId !== null && { userId }) }, ...byOf(call) };
}

async function startRun(call: Call, input: RunInput) {
  call.refuseNewRuns();
  const { watching } = call;
  const { prompt, subscribe = true, ...rest } = input;
  const request = {
    ...rest,
    ...(rest.mode === 'steer' && { ...rightsOf(call), ...requestOf(call) }),
    ...(hostsOwn.some((field) => input[field] !== undefined) && { byAdmin: true }),
    ...(await askedBy(call, input)),
  } as RunRequest;
  // A run must not begin that the client could not watch.
  const giveBack = subscribe ? watching?.reserve() : undefined;
  const made = call.runs.make(() => call.detent.run(prompt, request), namedRun(call, request));
  return watchRun(call, await made.finally(giveBack), input);
}

/** Watches the run that took the prompt. */
async function watchRun({ detent, caller, watching }: Call, runId: string, { subscribe = true }: RunInput) {
  if (subscribe) watching?.watch(runId, 0, false);
  const { sessionId } = await detent.runs.ownerOf(runId, caller.tenantId);
  return { runId, sessionId };
}

async function callTool(call: Call, { tool, input, ...rest }: MethodInput<'tool.call'>) {
  call.refuseNewRuns();
  const { detent, caller } = call;
  const request = { ...rest, ...(await askedBy(call, rest)) } as ToolCallRequest;
  await refuseUnknownTool(call, tool);
  const make = () => detent.tools.call(tool, input, request);
  const runId = await call.runs.make(make, namedRun(call, request));
  const { sessionId } = await detent.runs.ownerOf(runId, caller.tenantId);
  return { runId, sessionId };
}

/** Before the run, which would only say so. @throws DetentError `UNKNOWN_TOOL`. */
async function refuseUnknownTool({ detent, caller }: Call, tool: string): Promise<void> {
  const names = (await detent.tools.describe(caller.tenantId)).map(({ name }) => name);
  if (names.includes(tool)) return;
  const nearest = nearestName(tool, names);
  throw new DetentError(
    'UNKNOWN_TOOL',
    `there is no tool ${shown(tool)}${didYouMean(tool, names) || '; see "detent tools list"'}`,
    { details: { tool, ...(nearest && { nearest }) } },
  );
}

export const agentPerformers = {
  'agent.run': {
    alsoNeeds: needsOf,
    perform: startRun,
    answerOf: (call, runId, input) => watchRun(call, String(runId), input),
  },
  'tool.call': {
    alsoNeeds: approvesAll,
    perform: callTool,
  },
  async 'agent.wait'(call, input) {
    const { result } = call.detent.runs.attach(input.runId, call.caller.tenantId);
    const rested = await call.waitedFor(input.runId, () =>
      // Null when the time is up, or when the client has disconnected.
      call.waiting((signal) => inTime(result, input.timeoutMs, () => null, signal)),
    );
    return { ...(await viewOf(call, input.runId, rested)), isSettled: rested !== null };
  },
  'agent.cancel': async (call, { runId, reason }) => ({
    cancelled: await call.detent.runs.cancel(runId, reason, call.caller.tenantId, byOf(call)),
  }),
  'agent.steer': {
    async perform(call, { runId, message, attachments }) {
      const extra = {
        ...(attachments && { attachments }),
        ...requestOf(call),
        ...rightsOf(call),
        ...byOf(call),
      } as Pick<RunRequest, 'attachments' | 'requestId' | 'mayApprove' | 'by'>;
      await call.detent.runs.steer(runId, message, call.caller.tenantId, extra);
      return { runId };
    },
    answerOf: async (_call, runId) => ({ runId: String(runId) }),
  },
  async 'run.subscribe'(call, { runId, afterSeq, events }) {
    const { detent, caller, watching } = call;
    await detent.runs.ownerOf(runId, caller.tenantId);
    await refuseBeyond(call, runId, afterSeq, 'afterSeq');
    watching?.watch(runId, afterSeq, events === 'compact');
    return { runId };
  },
  'run.unsubscribe': async ({ watching }, { runId }) => ({ subscribed: watching?.unwatch(runId) ?? false }),
  ping: async () => ({}),
} satisfies Performers<typeof declared>;
