import type { RunLimits } from '../../../machines/run.types.ts';
import { defaultAgent } from '../../protocol/access.ts';
import type { TaskRequest } from '../../protocol/tool.ts';
import type { StartRun } from '../../runs/runs.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { expandTools, namedByBoth } from '../../tools/registry.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { findAgent } from '../config/find-agent.ts';
import type { RunRequest } from '../config/request.ts';
import { checkPrompt } from './check-prompt.ts';
import { least } from './run-limits.ts';
import { outputOf } from './run-request.ts';

/** What a program plans sub-runs with. */
export interface SubRunPlanner {
  config: Pick<DetentOptions, 'limits' | 'tools' | 'agents'>;
  /** What the run of another agent is made with. */
  resolve(request: RunRequest): Pick<StartRun, 'options' | 'limits'>;
}

/**
 * Resolves a sub-run from a task. Its user, permissions and limits come from the parent, and can only get narrower. Its
 * agent is that of the parent, with the overrides of the parent's request, unless the task names another agent. Only an
 * agent that the task names gives it an output schema: that of the parent is for the parent's answer. A parent that makes
 * one given call has no model and no words of its own, so the agent is as it is configured.
 *
 * @throws DetentError `PROMPT_TOO_LARGE`, `UNKNOWN_AGENT`, `UNKNOWN_TOOLSET`, and as `resolve` does.
 */
export function subRunRequest(
  parent: RunOptions,
  task: TaskRequest,
  left: RunLimits,
  { config, resolve }: SubRunPlanner,
): { options: RunOptions; limits: RunLimits } {
  checkPrompt(task.prompt, config.limits);
  const agent = parent.agent ?? defaultAgent;
  const isOther = parent.call !== undefined || (task.agent !== undefined && task.agent !== agent);
  const own = isOther ? ofAgent(parent, task.agent ?? agent, resolve) : null;
  if (own && task.agent === undefined) delete own.options.output;
  const asked = task.tools ? expandTools(task.tools, config.tools?.sets) : null;
  // Client tools are left out: the caller of a sub-run is a call of the parent, which performs no tools.
  const {
    output: _,
    needs: __,
    requestDigest: ___,
    clientTools: ____,
    clientCalls: _____,
    linked: ______,
    ...inherited
  } = parent;
  return {
    options: {
      ...withoutApproval(own?.options ?? inherited),
      // The task names the parent's own agent.
      ...(!isOther && task.agent !== undefined && outputOf({}, findAgent(task.agent, config.agents))),
      ...sharedBudget(parent, own?.options),
      ...skillsOf(parent, own?.options),
      tools: both(both(parent.tools, own?.options.tools ?? null), asked),
      ...approvalOf(parent),
      ...(parent.byAdmin && { byAdmin: true }),
      workspace: parent.workspace,
      ...(parent.place && { place: parent.place }),
      principal: parent.principal,
    },
    limits: lesser(own?.limits ?? left, left, task.maxSteps),
  };
}

function ofAgent({ approve, cache, stream }: RunOptions, agent: string, resolve: SubRunPlanner['resolve']) {
  const request: RunRequest = {
    approve,
    agent,
    ...(cache !== undefined && { cache }),
    ...(stream !== undefined && { stream }),
  };
  return resolve(request);
}

function skillsOf(parent: RunOptions, own: RunOptions | undefined): Pick<RunOptions, 'skills'> {
  const skills = both(parent.skills ?? null, own?.skills ?? null);
  return skills ? { skills } : {};
}

/** A sub-run may do without asking only what its parent may. */
function approvalOf({ approve, approveGiven }: RunOptions): Pick<RunOptions, 'approve' | 'approveGiven'> {
  return { approve, ...(approveGiven && { approveGiven }) };
}

function withoutApproval({ approveGiven, ...options }: RunOptions): RunOptions {
  return options;
}

/** The shared budget of the parent, from which sub-runs spend, too. */
function sharedBudget(parent: RunOptions, own: RunOptions | undefined): Pick<RunOptions, 'budget'> {
  const budget = parent.budget ?? own?.budget;
  return budget ? { budget } : {};
}

/** The intersection of two lists; null means no restriction. */
function both(one: string[] | null, other: string[] | null): string[] | null {
  return one && other ? namedByBoth(one, other) : (one ?? other);
}

function lesser(own: RunLimits, left: RunLimits, maxSteps: number = left.steps): RunLimits {
  return {
    ...own,
    steps: Math.min(own.steps, left.steps, maxSteps),
    tokens: least(own.tokens, left.tokens),
    costUsd: least(own.costUsd, left.costUsd),
    workMs: Math.min(own.workMs, left.workMs),
  };
}
