import { isObject } from '../../../protocol/json.ts';

/** Our classification of a piece of an output item. */
export type PieceKind = 'text' | 'reasoning' | 'refusal' | 'arguments';

/** The wire's names for the parts of an item; each has its own events, `response.<slot>.delta` and `.done`. */
const slots = new Map<string, { kind: PieceKind; itemType: string }>([
  ['output_text', { kind: 'text', itemType: 'message' }],
  ['refusal', { kind: 'refusal', itemType: 'message' }],
  ['reasoning_text', { kind: 'reasoning', itemType: 'reasoning' }],
  ['reasoning_summary_text', { kind: 'reasoning', itemType: 'reasoning' }],
  ['function_call_arguments', { kind: 'arguments', itemType: 'function_call' }],
]);

/** Older names, which some servers still use. */
const olderNames = new Map([
  ['reasoning', 'reasoning_text'],
  ['reasoning_content', 'reasoning_text'],
  ['reasoning_summary', 'reasoning_summary_text'],
]);

interface PieceEvent {
  slot: string;
  kind: PieceKind;
  /** The type of item it belongs to. */
  itemType: string;
  /** Whether this is the whole text, which repeats its pieces. */
  isWhole: boolean;
  text: string;
}

/** Reads an event about text or arguments; undefined for all other events. */
export function readPieceEvent(type: string, message: Record<string, unknown>): PieceEvent | undefined {
  const [, name = '', end] = /^response\.(\w+)\.(delta|done)$/.exec(type) ?? [];
  const slot = olderNames.get(name) ?? name;
  const known = slots.get(slot);
  if (!known) return undefined;
  const isWhole = end === 'done';
  const { delta, text, refusal, arguments: args } = message;
  return { slot, ...known, isWhole, text: isWhole ? textOf(text ?? refusal ?? args) : textOf(delta) };
}

/** The kinds of the parts that `content` and `summary` consist of. */
const slotOfPart = new Map([
  ['output_text', 'output_text'],
  ['text', 'output_text'],
  ['refusal', 'refusal'],
  ['reasoning_text', 'reasoning_text'],
  ['summary_text', 'reasoning_summary_text'],
]);

/** The text of a part of an item; undefined for a part of another kind. */
export function readPart(part: unknown): { slot: string; text: string } | undefined {
  if (!isObject(part)) return undefined;
  const slot = slotOfPart.get(textOf(part.type));
  return slot === undefined ? undefined : { slot, text: textOf(part.text ?? part.refusal) };
}

export function kindOf(slot: string): PieceKind | undefined {
  return slots.get(slot)?.kind;
}

/** The text of a value; some servers send `{text}`, or arguments as an object. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return '';
  return typeof value.text === 'string' ? value.text : JSON.stringify(value);
}
