import type { ModelToolCall } from '../../protocol/content.ts';
import { isObject, type JsonObject, parseJson } from '../../protocol/json.ts';

/** The text that one piece added, and the call that it belongs to. */
interface CallPiece {
  /** Position of the call in {@link ToolCallList.calls}. */
  index: number;
  call: ModelToolCall;
  argumentsDelta: string;
}

/**
 * Assembles tool calls from the pieces of a stream.
 *
 * OpenAI's rule is one call per `index`. Beyond it: pieces without index go by id, else by their place among several, else
 * to the call before; a piece
 * with neither name nor id under a new index continues the call before (LibreChat); one index for several calls, each
 * with its own name, makes several (Gemini); a call sent again whole counts once; an id that changes from piece to
 * piece keeps its first value (older vLLM); a name repeated in each piece counts once (older llama.cpp), a name in
 * pieces is joined; arguments that come as an object become text, and whole ones that come again as a JSON text count
 * once (LiteLLM).
 */
export class ToolCallList {
  /** In order of first appearance. */
  readonly calls: ModelToolCall[] = [];
  /** The `extra_content` of each call that came with one: Gemini's signature of the thoughts behind the call. */
  readonly #extras = new Map<ModelToolCall, JsonObject>();
  readonly #positionByIndex = new Map<number, number>();
  readonly #positionById = new Map<string, number>();
  readonly #positionByPlace = new Map<number, number>();

  /**
   * Takes one entry of `tool_calls`, whatever it is; undefined when it holds nothing.
   *
   * @param place its place in a list of several; undefined when it came alone
   */
  add(entry: unknown, place?: number): CallPiece | undefined {
    const piece = readPiece(entry);
    if (!piece) return undefined;
    const { position, call } = this.#place(piece, place);
    if (place !== undefined) this.#positionByPlace.set(place, position);
    if (piece.index !== undefined) this.#positionByIndex.set(piece.index, position);
    if (piece.id !== '') this.#positionById.set(piece.id, position);
    const argumentsDelta = isResent(piece, call) ? '' : piece.arguments;
    if (piece.extra) this.#extras.set(call, piece.extra);
    call.id ||= piece.id;
    if (call.arguments === '' && piece.name !== call.name) call.name += piece.name;
    call.arguments += argumentsDelta;
    return { index: position, call, argumentsDelta };
  }

  /** What later requests must send back beside the calls, in their order; undefined for nothing. */
  providerData(): JsonObject | undefined {
    if (this.#extras.size === 0) return undefined;
    return { call_extras: this.calls.map((call) => this.#extras.get(call) ?? null) };
  }

  /** Characters kept beside the calls. */
  get extrasSize(): number {
    return this.#extras.size === 0 ? 0 : JSON.stringify([...this.#extras.values()]).length;
  }

  #place(piece: Piece, place: number | undefined): { position: number; call: ModelToolCall } {
    const position = this.#find(piece, place) ?? this.calls.length;
    const known = this.calls[position];
    if (known && !startsAnother(piece, known)) return { position, call: known };
    const call = { id: piece.id, name: '', arguments: '' };
    return { position: this.calls.push(call) - 1, call };
  }

  #find({ index, id, name }: Piece, place: number | undefined): number | undefined {
    const known = index === undefined ? this.#positionById.get(id) : this.#positionByIndex.get(index);
    const continues = id === '' && name === '' && this.calls.length > 0;
    if (known !== undefined || !continues) return known;
    const placed = index === undefined && place !== undefined ? this.#positionByPlace.get(place) : undefined;
    return placed ?? this.calls.length - 1;
  }
}

interface Piece extends ModelToolCall {
  index: number | undefined;
  extra: JsonObject | undefined;
}

function readPiece(entry: unknown): Piece | undefined {
  if (!isObject(entry)) return undefined;
  const { index, id, extra_content: extra } = entry;
  const { name, arguments: args } = isObject(entry.function) ? entry.function : {};
  const piece = {
    index: typeof index === 'number' ? index : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    arguments: typeof args === 'string' ? args : isObject(args) ? JSON.stringify(args) : '',
    extra: isObject(extra) ? (extra as JsonObject) : undefined,
  };
  return piece.id || piece.name || piece.arguments || piece.extra ? piece : undefined;
}

/** Whether a piece starts another call: under the index of a known call only a piece with a name can. */
function startsAnother(piece: Piece, call: ModelToolCall): boolean {
  if (piece.name === '' || call.name === '') return false;
  const hasOtherId = piece.id !== '' && call.id !== '' && piece.id !== call.id;
  if (hasOtherId) return call.arguments === '' || isWhole(call);
  return piece.arguments.trim() !== '' && !isResent(piece, call) && isWhole(call);
}

function isResent(piece: Piece, call: ModelToolCall): boolean {
  if (piece.name === '' || !isWhole(call)) return false;
  return piece.arguments === call.arguments || parseJson(piece.arguments) === call.arguments;
}

function isWhole({ arguments: text }: ModelToolCall): boolean {
  return text.trimEnd().endsWith('}') && isObject(parseJson(text));
}
