import { LRUCache } from 'lru-cache';
import { messageOf } from '../../../protocol/error.ts';
import type { MachineDefinition, MachineLayout } from '../../../protocol/views.ts';
import { allStates, edgesOf, layoutOf } from '../../../runtime/chart.ts';

/** Where a page draws the chart of someone else's actor; without a layout, why. */
export type LiveLayout = { layout: MachineLayout; refused: null } | { layout: null; refused: string };

interface LayoutLimits {
  /**
   * Maximum size of a chart that is laid out. One of 100 states and 200 edges, in each other and entangled at random,
   * took more than 50 s at a stretch; of 14 with 60 and 120 the worst held other work up for 0.5 s.
   */
  maxStates: number;
  maxEdges: number;
  /** How long one may take, in milliseconds. */
  timeoutMs: number;
}

const usual: LayoutLimits = { maxStates: 60, maxEdges: 120, timeoutMs: 10_000 };
const maxKept = 100;
/** Layouts that wait for their turn. */
const maxWaiting = 10;

/**
 * Layouts of charts that came from outside. A chart can be built to take long, so one layout is computed at a time,
 * each in a limited time, while other work of the process continues.
 */
export class LiveLayouts {
  readonly #limits: LayoutLimits;
  /** By the hash of the definition. Refusals are kept, too. */
  readonly #kept = new LRUCache<string, LiveLayout>({ max: maxKept });
  readonly #underWay = new Map<string, Promise<LiveLayout>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: Partial<LayoutLimits> = {}) {
    this.#limits = { ...usual, ...limits };
  }

  async of(definition: MachineDefinition): Promise<LiveLayout> {
    const key = `${definition.hash} ${definition.name}`;
    const kept = this.#kept.get(key) ?? this.#underWay.get(key);
    if (kept) return kept;
    const refused = this.#whyNot(definition);
    if (refused !== null) return { layout: null, refused };
    const making = this.#last.then(() => this.#make(definition));
    this.#underWay.set(key, making);
    this.#last = making;
    const made = await making;
    this.#underWay.delete(key);
    this.#kept.set(key, made);
    return made;
  }

  #whyNot(definition: MachineDefinition): string | null {
    const { maxStates, maxEdges } = this.#limits;
    const states = allStates(definition.states).length;
    const edges = edgesOf(definition).length;
    if (states > maxStates || edges > maxEdges)
      return `its chart has ${states} states and ${edges} edges: charts of up to ${maxStates} and ${maxEdges} are drawn`;
    return this.#underWay.size >= maxWaiting ? 'too many charts are being laid out: ask again' : null;
  }

  async #make(definition: MachineDefinition): Promise<LiveLayout> {
    try {
      return { layout: await layoutOf(definition, this.#limits.timeoutMs), refused: null };
    } catch (error) {
      // Let the charts that wait have their turn.
      return { layout: null, refused: `its chart cannot be laid out: ${messageOf(error)}` };
    }
  }
}
