import { shortHash } from '../engine/hash.ts';
import type { CallPreview } from './tool.ts';

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
