import type { AgentConfig } from '../protocol/config.ts';
import { DetentError } from '../protocol/error.ts';
import { refuseUnknownFields } from '../protocol/json.ts';
import type { ChatModel } from '../protocol/ports.ts';
import type { DetentOptions, RunRequest } from '../runtime/config.ts';
import type { TextSkill } from '../skills/skills.ts';
import type { Host } from './host.ts';

type Shared = 'model' | 'fallbacks' | 'system' | 'tools' | 'limits' | 'budgets' | 'context' | 'actor';

/** The options of a core: those of `createDetent` where they have the same name. */
export interface CoreOptions extends Pick<DetentOptions, Shared> {
  host: Host;
  /** By the name of a provider: `provider/model` names a model. A model on the device is a function that streams. */
  models: Readonly<Record<string, ChatModel>>;
  /** As of `createDetent`; their `tools` name tools of `tools.define`. */
  agents?: Record<string, AgentConfig>;
  /** Instructions for kinds of tasks, as text. */
  skills?: readonly TextSkill[];
  /** Which calls a person approves, and whether untrusted text has calls asked about. */
  policy?: Pick<NonNullable<DetentOptions['policy']>, 'approve' | 'confirm' | 'taint'>;
}

type Asked =
  | 'sessionId'
  | 'idempotencyKey'
  | 'mode'
  | 'agent'
  | 'model'
  | 'system'
  | 'tools'
  | 'skills'
  | 'approve'
  | 'output'
  | 'limits'
  | 'budget'
  | 'stream'
  | 'metadata';

/** The options of one run. */
export interface CoreRequest extends Pick<RunRequest, Asked> {
  /** The user of the run; tools receive it. */
  principal?: Omit<NonNullable<RunRequest['principal']>, 'tenantId'>;
}

const optionFields: Record<keyof CoreOptions, true> = {
  host: true,
  models: true,
  model: true,
  fallbacks: true,
  system: true,
  tools: true,
  agents: true,
  skills: true,
  policy: true,
  limits: true,
  budgets: true,
  context: true,
  actor: true,
};

const requestFields: Record<keyof CoreRequest, true> = {
  sessionId: true,
  idempotencyKey: true,
  mode: true,
  agent: true,
  model: true,
  system: true,
  tools: true,
  skills: true,
  approve: true,
  output: true,
  limits: true,
  budget: true,
  stream: true,
  metadata: true,
  principal: true,
};

/** @throws DetentError `INVALID_CONFIG` for an option that the core does not have, which may have been a restriction. */
export function checkCoreOptions(options: CoreOptions): void {
  refuseUnknownFields(options, Object.keys(optionFields), 'createCore', 'INVALID_CONFIG');
  const { storage } = options.host ?? {};
  if (typeof storage?.prepare !== 'function' || typeof storage.exec !== 'function')
    throw new DetentError(
      'INVALID_CONFIG',
      'createCore needs host.storage, a database with prepare, exec and close: see docs/core.md',
    );
}

/** @throws DetentError `INVALID_REQUEST` for a field that the core does not have. */
export function checkCoreRequest(request: CoreRequest): void {
  refuseUnknownFields(request, Object.keys(requestFields), 'a run', 'INVALID_REQUEST');
  refuseUnknownFields(request.principal ?? {}, ['userId', 'claims'], 'a principal', 'INVALID_REQUEST');
}
