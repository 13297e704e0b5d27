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
  /** SHA-256 of the argument bytes, hex; empty when nobody was asked. */
  hash: string;
  /** What the person who is asked is shown besides the arguments, without known secrets. */
  preview?: CallPreview;
  /** What a person is to answer, when the call is a question. */
  question?: QuestionView;
  /** The answer. It stands beside the arguments, which are the model's, so that no model can write one. */
  answer?: Answer;
  /** What was answered to questions that the call asked at work, by their keys. */
  answers?: Record<string, Answer>;
  /** Set when a hook changed the arguments, with those that it changed, and what the hooks of the call did. */
  hooked?: { by: string; arguments: string; records: HookRecord[] };
  /** Set when a person changed the arguments. */
  modified?: true;
  /** What the model had asked for, when a person changed the arguments: a fork from before the change needs it. */
  asked?: Pick<CallInput, 'arguments' | 'why' | 'hash'>;
}

/**
 * What a decision names to prove which arguments it saw: SHA-256 of their UTF-8 bytes, hex.
 *
 * The implementation is loaded on first use: only runs that ask a person need it.
 */
export async function argumentsHash(rawArguments: string): Promise<string> {
  const { sha256 } = await import('@noble/hashes/sha2.js');
  return Array.from(sha256(new TextEncoder().encode(rawArguments)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** By which a repeated call is known. */
export function callKey(name: string, rawArguments: string): string {
  return shortHash(`${name}\n${rawArguments}`);
}

/** The call as it was before a hook changed its arguments: for a fork, whose hooks are asked themselves. */
export function withoutRewrite({ hooked, ...input }: CallInput): CallInput {
  return hooked ? { ...input, arguments: hooked.arguments } : input;
}

/** What the model, which sees its own arguments in the conversation, is told of others that were used. */
export function changedNote({ hooked, modified, arguments: raw }: CallInput): string {
  const who = hooked ? `hook "${hooked.by}"` : modified ? 'user' : null;
  return who === null ? '' : `[The ${who} changed the arguments to ${raw}]\n`;
}
