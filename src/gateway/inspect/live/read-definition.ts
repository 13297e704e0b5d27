import { type AnyStateMachine, createMachine } from 'xstate';
import { isObject, parseJson } from '../../../protocol/json.ts';
import type { MachineDefinition } from '../../../protocol/views.ts';
import { definitionOf } from '../../../runtime/chart.ts';

/** Characters of a definition. */
const maxCharacters = 128_000;
const maxStates = 300;
const maxTransitions = 1_000;
/** Levels of states within states. */
const maxLevels = 20;
const maxName = 200;

/** A chart that an actor brought along, or why there is none. */
export type LiveChart =
  | { definition: MachineDefinition; refused: null }
  | { definition: null; refused: string };

type Json = Record<string, unknown>;

/** Names that objects have by themselves: XState looks states up in plain objects. */
const reserved = new Set(['__proto__', 'constructor', 'prototype']);
const types = new Set(['atomic', 'compound', 'parallel', 'final', 'history']);

/**
 * Reads the definition that `@statelyai/inspect` sends of an actor: the JSON of its machine's configuration. The data
 * comes from outside, so only valid fields that a drawing needs are taken from it, and a chart that is too large is
 * refused.
 */
export function readDefinition(name: string, json: string | undefined): LiveChart {
  if (json === undefined) return none('the actor came without a definition');
  if (json.length > maxCharacters)
    return none(`its definition has ${json.length} characters, and ${maxCharacters} are read`);
  const config = parseJson(json);
  if (!isObject(config) || !isObject(config.states)) return none('the actor is not a statechart');
  const reader = new ConfigReader();
  const root = reader.state(config, 0);
  if (reader.tooMuch !== null) return none(reader.tooMuch);
  try {
    return { definition: definitionOf(name, 0, machineOf(root)), refused: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return none(`its definition cannot be read: ${why.slice(0, maxName)}`);
  }
}

function none(refused: string): LiveChart {
  return { definition: null, refused };
}

function machineOf(config: Json): AnyStateMachine {
  return createMachine(config as Parameters<typeof createMachine>[0]);
}

/** Copies the parts of a configuration that are drawn, and counts them. */
class ConfigReader {
  tooMuch: string | null = null;
  #states = 0;
  #transitions = 0;

  state(given: Json, level: number): Json {
    if (++this.#states > maxStates) this.tooMuch = `its chart has more than ${maxStates} states`;
    if (level > maxLevels) this.tooMuch = `its chart has more than ${maxLevels} levels`;
    if (this.tooMuch !== null) return {};
    const { id, type, initial, states, description, on, after, always, onDone, invoke, target } = given;
    const inner = isObject(states) ? this.#each(states, (one) => this.state(one, level + 1)) : {};
    const [first] = Object.keys(inner);
    return {
      ...(isName(id) && { id }),
      ...(types.has(String(type)) && type !== 'compound' && type !== 'atomic' && { type }),
      // States nested too deep arrive as text, so the initial state may be missing.
      ...(first !== undefined && type !== 'parallel' && { initial: firstOf(initial, inner) ?? first }),
      ...(first !== undefined && { states: inner }),
      ...(isName(description) && { description }),
      ...(isObject(on) && { on: this.#events(on) }),
      ...(isObject(after) && { after: this.#events(after) }),
      ...(always !== undefined && { always: this.#transitionsOf(always) }),
      ...(onDone !== undefined && { onDone: this.#transitionsOf(onDone) }),
      ...(invoke !== undefined && {
        invoke: asArray(invoke)
          .filter(isObject)
          .map((one) => this.#invoke(one)),
      }),
      ...(type === 'history' && isName(target) && { target }),
    };
  }

  #each(given: Json, read: (one: Json) => Json): Json {
    const entries = Object.entries(given).filter(([key]) => isKey(key));
    // A state nested too deep arrives as text: it exists, but its content is unknown.
    return Object.fromEntries(entries.map(([key, one]) => [key, read(isObject(one) ? one : {})]));
  }

  #events(given: Json): Json {
    const entries = Object.entries(given).filter(([key]) => isKey(key));
    return Object.fromEntries(entries.map(([key, one]) => [key, this.#transitionsOf(one)]));
  }

  #transitionsOf(given: unknown): Json[] {
    return asArray(given).flatMap((one): Json[] => {
      if (++this.#transitions > maxTransitions)
        this.tooMuch = `its chart has more than ${maxTransitions} transitions`;
      if (this.tooMuch !== null) return [];
      if (typeof one === 'string') return [{ target: one }];
      if (!isObject(one)) return [];
      const { target, guard, actions, description } = one;
      const targets = asArray(target).filter(isName);
      return [
        {
          ...(targets.length > 0 && { target: targets }),
          ...(guard !== undefined && { guard: typeOf(guard) }),
          ...(actions !== undefined && { actions: asArray(actions).slice(0, 20).map(typeOf) }),
          ...(isName(description) && { description }),
        },
      ];
    });
  }

  #invoke({ id, src, onDone, onError, onSnapshot }: Json): Json {
    return {
      src: isName(src) ? src : 'inline',
      ...(isName(id) && { id }),
      ...(onDone !== undefined && { onDone: this.#transitionsOf(onDone) }),
      ...(onError !== undefined && { onError: this.#transitionsOf(onError) }),
      ...(onSnapshot !== undefined && { onSnapshot: this.#transitionsOf(onSnapshot) }),
    };
  }
}

function firstOf(initial: unknown, states: Json): string | null {
  const [target] = asArray(isObject(initial) ? initial.target : initial);
  const key = typeof target === 'string' ? target.replace(/^\./, '') : '';
  return Object.hasOwn(states, key) ? key : null;
}

/** The name of a guard or an action; one without is called `inline`. */
function typeOf(given: unknown): { type: string } {
  const type = isObject(given) ? given.type : given;
  return { type: isName(type) ? type : 'inline' };
}

function isName(given: unknown): given is string {
  return typeof given === 'string' && given !== '' && given.length <= maxName;
}

function isKey(key: string): boolean {
  return key.length <= maxName && !reserved.has(key);
}

function asArray(given: unknown): unknown[] {
  if (given === undefined || given === null) return [];
  return Array.isArray(given) ? given : [given];
}
