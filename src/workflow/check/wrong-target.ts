import { type AnyStateNode, StateMachine, StateNode } from 'xstate';
import { DetentError } from '../../protocol/error.ts';
import { nearestName } from '../../text/wording.ts';
import { invalidWorkflow } from '../workflow.ts';

/**
 * XState resolves the targets of a chart while it makes the chart, before any function of Detent is called with it, and its
 * error names neither the event nor a line of the chart's file. So the method that resolves them is followed here.
 */
const initialize: unknown = Reflect.get(StateNode.prototype, '_initialize');
if (typeof initialize === 'function')
  Reflect.set(StateNode.prototype, '_initialize', function (this: AnyStateNode) {
    try {
      Reflect.apply(initialize, this, []);
    } catch (error) {
      throw wrongTarget(this, error) ?? error;
    }
  });

/** What is wrong with a target of a state; null for any other error. */
function wrongTarget(node: AnyStateNode, cause: unknown): DetentError | null {
  if (DetentError.is(cause)) return null;
  const [event, target] = [...waysOf(node)].find((way) => !leads(node, way[1])) ?? [];
  if (event === undefined || target === undefined) return null;
  const named = node.parent
    ? Object.keys(node.parent.states)
    : Object.keys(node.states).map((key) => `.${key}`);
  const nearest = nearestName(target, named);
  const state = [node.machine.id, ...node.path].join('.');
  const error = invalidWorkflow(
    node.machine.id,
    `the state "${state}" has the target "${target}" for ${event}, but there is no such state${nearest === null ? `; there are ${named.join(', ')}` : `; did you mean "${nearest}"?`}`,
    { details: { state, event, target }, cause },
  );
  // XState's own frames fill the stack, and leave no room for the line of the chart.
  Error.captureStackTrace?.(error, StateMachine);
  return error;
}

/** Where a state leads, as its config writes it: what for, in words, and a target. */
function* waysOf({ config }: AnyStateNode): Generator<[event: string, target: string]> {
  const { on = {}, after = {}, always, onDone, invoke } = config;
  const each = function* (event: string, written: unknown): Generator<[string, string]> {
    for (const one of listOf(written))
      for (const target of listOf(typeof one === 'object' ? Reflect.get(one ?? {}, 'target') : one))
        if (typeof target === 'string') yield [event, target];
  };
  for (const [type, written] of Object.entries(on)) yield* each(`the event "${type}"`, written);
  for (const [delay, written] of Object.entries(after)) yield* each(`after ${delay}`, written);
  yield* each('always', always);
  yield* each('onDone', onDone);
  for (const service of listOf(invoke)) {
    const { id, src, onDone, onError, onSnapshot } = service as Record<string, unknown>;
    const of = `of "${String(id ?? src)}"`;
    yield* each(`onDone ${of}`, onDone);
    yield* each(`onError ${of}`, onError);
    yield* each(`onSnapshot ${of}`, onSnapshot);
  }
}

function listOf(written: unknown): readonly unknown[] {
  return Array.isArray(written) ? written : written === undefined ? [] : [written];
}

function leads(node: AnyStateNode, target: string): boolean {
  if (target.startsWith('#'))
    try {
      return node.machine.getStateNodeById(target) !== undefined;
    } catch {
      return false;
    }
  const isInner = target.startsWith('.');
  let at: AnyStateNode | undefined = isInner ? node : node.parent;
  for (const key of (isInner ? target.slice(1) : target).split('.')) at = at?.states[key];
  return at !== undefined;
}
