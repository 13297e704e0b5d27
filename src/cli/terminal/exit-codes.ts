import { DetentError } from '../../protocol/error.ts';
import type { RunView } from '../../protocol/views.ts';

/** Exit codes are a public contract. */
export const exit = {
  ok: 0,
  failed: 1,
  usage: 2,
  config: 3,
  notFound: 4,
  waiting: 5,
  database: 6,
  deadline: 124,
  cancelled: 130,
} as const;

const byCode: Readonly<Record<string, number>> = {
  USAGE: exit.usage,
  EMPTY_PROMPT: exit.usage,
  PROMPT_TOO_LARGE: exit.usage,
  UNKNOWN_MODEL: exit.usage,
  AMBIGUOUS_MODEL: exit.usage,
  AMBIGUOUS_RUN: exit.usage,
  UNKNOWN_AGENT: exit.usage,
  UNKNOWN_TOOLSET: exit.usage,
  NOT_A_WORKFLOW: exit.usage,
  INVALID_INPUT: exit.usage,
  INVALID_EVENT: exit.usage,
  RESERVED_EVENT: exit.usage,
  UNKNOWN_COMMAND: exit.usage,
  UNKNOWN_BUDGET: exit.usage,
  INVALID_SESSION: exit.usage,
  SESSION_OF_ANOTHER_USER: exit.usage,
  INVALID_CALL_ID: exit.usage,
  INVALID_ARGUMENTS: exit.usage,
  MEMORY_PATH: exit.usage,
  PAST_END: exit.usage,
  INVALID_ANSWER: exit.usage,
  WRONG_VERDICT: exit.usage,
  INVALID_VERDICT: exit.usage,
  INVALID_REQUEST: exit.usage,
  WRONG_TOOL: exit.usage,
  INVALID_PATTERN: exit.usage,
  INVALID_SCOPE: exit.usage,
  INVALID_CRON: exit.usage,
  INVALID_SCHEDULE: exit.usage,
  UNKNOWN_TIME_ZONE: exit.usage,
  INVALID_JOB: exit.usage,
  JOB_EXISTS: exit.usage,
  DECLARED_JOB: exit.usage,
  RUN_OF_JOB: exit.usage,
  UNKNOWN_SKILL: exit.usage,
  SEQ_OUT_OF_RANGE: exit.usage,
  NO_MESSAGE: exit.usage,
  NO_PROMPT: exit.usage,
  ATTACHMENT_NOT_FOUND: exit.usage,
  ATTACHMENT_TOO_LARGE: exit.usage,
  ATTACHMENT_UNSUPPORTED: exit.usage,
  UNAUTHORIZED: exit.config,
  FORBIDDEN: exit.config,
  NOT_OVER_GATEWAY: exit.usage,
  NOT_TRUSTED: exit.config,
  TRUST_UNREADABLE: exit.config,
  TRUST_NOT_KEPT: exit.config,
  MISSING_KEY: exit.config,
  ADDRESS_NOT_NAMED: exit.config,
  PRICE_MISSING: exit.config,
  INVALID_OUTPUT_SCHEMA: exit.usage,
  INVALID_CONFIG: exit.config,
  INVALID_BASE_URL: exit.config,
  INVALID_HEADER: exit.config,
  INVALID_TOOL: exit.config,
  DUPLICATE_TOOL: exit.config,
  MODEL_CONFIG_INVALID: exit.config,
  MIGRATION_NEEDED: exit.config,
  CHART_CHANGED: exit.config,
  MIGRATION_FAILED: exit.config,
  INVALID_MACHINE: exit.config,
  INVALID_WORKFLOW: exit.config,
  INVALID_SERVICE: exit.config,
  MCP_NOT_ALLOWED: exit.config,
  MCP_PINS_UNREADABLE: exit.config,
  SKILL_APPROVALS_UNREADABLE: exit.config,
  FILE_EXISTS: exit.usage,
  NO_DATABASE_FILE: exit.usage,
  INVALID_TENANT: exit.usage,
  TENANT_EXISTS: exit.usage,
  INVALID_WORKSPACE: exit.usage,
  UNKNOWN_TENANT: exit.notFound,
  UNKNOWN_WORKFLOW: exit.notFound,
  NO_JOB: exit.notFound,
  NO_SLOT: exit.notFound,
  NOT_FOUND: exit.notFound,
};

export function exitCodeOfError(error: unknown): number {
  if (!DetentError.is(error)) return exit.failed;
  if (error.code.startsWith('DATABASE_')) return exit.database;
  return byCode[error.code] ?? exit.failed;
}

export function exitCodeOfRun({
  status,
  outcome,
  call,
}: Pick<RunView, 'status' | 'outcome' | 'call'>): number {
  if (status === 'done') return call?.isError ? exit.failed : exit.ok;
  if (status === 'cancelled') return exit.cancelled;
  if (status === 'failed') return outcome === 'deadline' ? exit.deadline : exit.failed;
  return exit.waiting;
}
