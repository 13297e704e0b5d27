import type { ClientResult } from '../ports/client-tool.ts';
import type { HookRecord } from '../ports/hooks.ts';
import type { CallPreview } from '../ports/tool.ts';
import type { Answer, QuestionView } from '../protocol/run-view.ts';
import { shortHash } from '../text/short-hash.ts';

/** What `effects.input` holds for a tool call: the bytes to execute. Never shown but with the scope to approve. */
export interface CallInput {
  name: string;
  arguments: string;
  /** Why policy asks or does not. */
  why: string;
  /** SHA-256 of the argument bytes, hex; empty when no person was asked. */
  hash: string;
  /** Set when the call writes guarded files, or may: a person's approval covers them. */
  guarded?: true;
  /** The redacted preview for the approving person. */
  preview?: CallPreview;
  /** The question, when the call is one. */
  question?: QuestionView;
  /** The answer. Kept apart from the arguments, so that the model cannot write one. */
  answer?: Answer;
  /** The caller of the run performs the call. */
  client?: true;
  /** A workflow asks: a person approves or rejects the call as it is. */
  asIs?: true;
  /** The result that the caller gave. */
  result?: ClientResult;
  /** The answers to questions of the running call, by their keys. */
  answers?: Record<string, Answer>;
  /** Set by a fork, in which the call is made again: what approved it was for the original. */
  again?: true;
  /** Set when a hook changed the arguments, with those that it changed, and what the hooks of the call did. */
  hooked?: { by: string; arguments: string; records: HookRecord[] };
  /** Set when a person changed the arguments. */
  modified?: true;
  /** The model's original arguments, when a person changed them: a fork from before the change needs them. */
  asked?: Pick<CallInput, 'arguments' | 'why' | 'hash'>;
}

/**
 * The hash that a decision names to prove which arguments the person saw: SHA-256 of their UTF-8 bytes, hex.
 *
 * Node's own where there is one: a result of 16 MB would take the other one half a second. That is loaded on first use.
 */
export async function argumentsHash(rawArguments: string): Promise<string> {
  const own = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (own) return own.hash('sha256', rawArguments, 'hex');
  const { sha256 } = await import('@noble/hashes/sha2.js');
  return Array.from(sha256(new TextEncoder().encode(rawArguments)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Why a call runs whose arguments a person changed. */
export const whyModified = 'a person changed the arguments';

/** The key by which a repeated call is recognized. */
export function callKey(name: string, rawArguments: string): string {
  return shortHash(`${name}\n${rawArguments}`);
}

/** The call before a hook changed its arguments: for a fork, which calls the hooks again. */
export function withoutRewrite({ hooked, ...input }: CallInput): CallInput {
  return hooked ? { ...input, arguments: hooked.arguments } : input;
}

/** The note for the model about arguments that replaced its own. */
export function changedNote({ hooked, modified, arguments: raw }: CallInput): string {
  const who = hooked ? `hook "${hooked.by}"` : modified ? 'user' : null;
  return who === null ? '' : `[The ${who} changed the arguments to ${raw}]\n`;
}
