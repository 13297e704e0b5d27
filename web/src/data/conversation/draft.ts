import type { Content, Entry, RunStory, ToolCall } from './entries.ts';

/** A story while events are told to it: arrays and entries are copied once, however many events come together. */
export class Draft {
  readonly story: { -readonly [Key in keyof RunStory]: RunStory[Key] };
  readonly #entries: Entry[];
  /** Entries that this draft made, by their key: they may be changed. */
  readonly #own = new Map<string, Entry & { content: Content[] }>();

  constructor(story: RunStory) {
    this.#entries = [...story.entries];
    this.story = { ...story, entries: this.#entries };
  }

  get last(): Entry | undefined {
    return this.#entries.at(-1);
  }

  /** The newest stay, which a message of a person may have followed. */
  get stay(): Entry | undefined {
    return this.newest(({ kind }) => kind === 'stay' || kind === 'end');
  }

  newest(is: (entry: Entry) => boolean): Entry | undefined {
    return this.#entries.findLast(is);
  }

  stayIn(...names: string[]): Entry | undefined {
    return this.newest(({ kind, stay }) => kind === 'stay' && names.includes(stay));
  }

  add(
    entry: Pick<Entry, 'kind' | 'stay' | 'fromSeq' | 'at'> & Partial<Entry>,
    before: Entry | null = null,
  ): Entry {
    const { runId } = this.story;
    const { kind, fromSeq } = entry;
    const same = this.#entries.filter((one) => one.kind === kind && one.fromSeq === fromSeq).length;
    const key = `${runId} ${kind} ${fromSeq}${same ? ` ${same}` : ''}`;
    const made = {
      key,
      runId,
      toSeq: null,
      endedAt: null,
      isAnswered: false,
      isOfChart: false,
      usage: null,
      ...entry,
      content: [...(entry.content ?? [])],
    };
    const at = before ? this.#entries.findLastIndex((one) => one.key === before.key) : this.#entries.length;
    this.#entries.splice(at, 0, made);
    this.#own.set(key, made);
    return made;
  }

  /** The entry, to be changed. */
  change({ key }: Entry): Entry & { content: Content[] } {
    const own = this.#own.get(key);
    if (own) return own;
    const at = this.#entries.findLastIndex((one) => one.key === key);
    const found = this.#entries[at];
    if (!found) throw new Error(`no entry ${key}`);
    const copy = { ...found, content: [...found.content] };
    this.#entries[at] = copy;
    this.#own.set(key, copy);
    return copy;
  }

  call(callId: string): ToolCall | undefined {
    const entry = this.#holding(callId);
    return entry && callIn(entry, callId);
  }

  changeCall(callId: string, changes: Partial<ToolCall>): void {
    const entry = this.#holding(callId);
    if (!entry) return;
    const { content } = this.change(entry);
    const at = content.findIndex((one) => one.type === 'call' && one.call.callId === callId);
    const found = content[at];
    if (found?.type === 'call') content[at] = { type: 'call', call: { ...found.call, ...changes } };
  }

  moveCall(callId: string, to: Entry): void {
    const from = this.#holding(callId);
    const call = from && callIn(from, callId);
    if (!from || !call || from.key === to.key) return;
    const left = this.change(from);
    left.content = left.content.filter((one) => one.type !== 'call' || one.call.callId !== callId);
    this.change(to).content.push({ type: 'call', call });
  }

  #holding(callId: string): Entry | undefined {
    return this.newest((entry) => callIn(entry, callId) !== undefined);
  }
}

function callIn({ content }: Entry, callId: string): ToolCall | undefined {
  for (const one of content) if (one.type === 'call' && one.call.callId === callId) return one.call;
  return undefined;
}
