import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { Findings } from './findings.ts';
import { notDurable } from './services.ts';
import { actionsOf, type BuiltIn, matches, nodesOf, own, writtenAction } from './written.ts';

/** The actions that are written in a chart. What `enqueueActions()` adds is seen only by trying. */
export function checkActions(chart: AnyStateMachine, findings: Findings): void {
  for (const node of nodesOf(chart.root))
    for (const action of actionsOf(node)) {
      const written = writtenAction(action, chart);
      if (written.kind === 'inline') addInline(written.name, node, findings);
      else if (written.kind === 'unknown') addUnknown(written.name, node, findings);
      else if (written.kind === 'built-in') checkBuiltIn(written.action, node, findings);
      if (written.kind === 'inline') checkReads('', action, node, findings);
      if (written.kind === 'named')
        checkReads(written.name, own(chart.implementations.actions, written.name), node, findings);
    }
}

/**
 * An action runs after the commit, perhaps in another process, where an action that destructures `self` or `system`
 * would throw.
 */
function checkReads(name: string, perform: unknown, node: AnyStateNode, findings: Findings): void {
  const [, taken = ''] = /^[^({]*\(\s*\{([^{}]*)\}/.exec(String(perform)) ?? [];
  const fields = taken.split(',').map((field) => field.split(/[:=]/, 1).join('').trim());
  const actor = fields.find((field) => field === 'self' || field === 'system');
  if (actor)
    findings.add(
      'NOT_DURABLE',
      node,
      `the action${name ? ` "${name}"` : ''} reads "${actor}": when it is performed, there is no live actor`,
      'use context, event and params; raise() an event to the chart itself',
    );
}

function addInline(name: string, node: AnyStateNode, findings: Findings): void {
  // JavaScript names a function after the property that it is written in.
  const isNamed = name !== '' && !['actions', 'entry', 'exit'].includes(name);
  findings.add(
    'INLINE_ACTION',
    node,
    `has an action that is written inline${isNamed ? ` ("${name}")` : ''}: runs call it by its place in the chart`,
    'name it in setup({ actions }): views can say what it is, and it may move in a new version',
  );
}

export function addUnknown(name: string, node: AnyStateNode, findings: Findings): void {
  findings.add(
    'UNKNOWN_ACTION',
    node,
    name
      ? `the action "${name}" is not in setup({ actions }), so nothing would be done`
      : 'has an action without a name',
    name ? `implement "${name}" in setup({ actions })` : 'remove it, or give it a name and an implementation',
  );
}

export function addSendTo(node: AnyStateNode, findings: Findings, word = 'sendTo'): void {
  findings.add(
    'SEND_TO',
    node,
    `has ${word}(): there is no live actor that would get the event`,
    'give a child what it needs as input, and take its output in onDone; an event to the chart itself is a raise()',
  );
}

export function addSpawn(what: string, node: AnyStateNode, findings: Findings): void {
  findings.add(
    'SPAWN',
    node,
    what,
    'use invoke, or spawnChild() of a declared service with an id of its own',
  );
}

function checkBuiltIn(action: BuiltIn, node: AnyStateNode, findings: Findings): void {
  const { type } = action;
  if (type === 'xstate.raise') checkDelay(action.delay, node, findings);
  else if (type === 'xstate.sendTo')
    addSendTo(node, findings, action.to === '#_parent' ? 'sendParent' : 'sendTo');
  else if (type === 'xstate.spawnChild') {
    checkSpawn(action, node, findings);
    if (!findings.has('SPAWN', node)) checkFailure(action.id, node, findings);
  } else if (type === 'xstate.enqueueActions') {
    // What it spawns is often known only at run time: one child for each item of a list.
    if (/\bspawnChild\b/.test(String(action.collect))) checkFailure(undefined, node, findings);
  } else if (!harmless.has(type)) addUnsupported(type, node, findings);
}

function addUnsupported(type: string, node: AnyStateNode, findings: Findings): void {
  findings.add(
    'NOT_DURABLE',
    node,
    `has "${type}", which cannot be made durable`,
    'use a step() or an event',
  );
}

const harmless: ReadonlySet<string> = new Set([
  'xstate.assign',
  'xstate.cancel',
  'xstate.emit',
  'xstate.log',
  'xstate.enqueueActions',
  'xstate.stopChild',
]);

/** Checks the delay of a `raise()` or an `after`: XState raises an event with an unknown delay at once. */
function checkDelay(delay: unknown, node: AnyStateNode, findings: Findings): void {
  if (typeof delay !== 'string' || own(node.machine.implementations.delays, delay) !== undefined) return;
  findings.add(
    'UNKNOWN_DELAY',
    node,
    `the delay "${delay}" is not in setup({ delays }): it would not wait at all`,
    `say in setup({ delays }) how long "${delay}" is, in milliseconds`,
  );
}

/**
 * A failure of a spawned child ends the run as that of an invoked one does. The chart may have left the state that spawned it, so a
 * transition anywhere in the chart counts.
 *
 * @param id of the child, if it is written in the chart
 */
function checkFailure(id: unknown, node: AnyStateNode, findings: Findings): void {
  const failed = 'xstate.error.actor.';
  const isTaken = (descriptor: string) =>
    typeof id === 'string'
      ? matches(`${failed}${id}`, descriptor)
      : matches(failed, descriptor) || descriptor.startsWith(failed);
  if (nodesOf(node.machine.root).some(({ transitions }) => transitions.keys().some(isTaken))) return;
  findings.add(
    'NO_ONERROR',
    node,
    `no transition takes the failure of ${typeof id === 'string' ? `the child "${id}"` : 'a child'} that it spawns: if it fails, the run ends as failed`,
    `add on: { '${failed}${typeof id === 'string' ? id : '*'}': … }, if the chart can continue without the child`,
  );
}

/** @param action the action, or the parameters that it was resolved to */
export function checkSpawn(action: Record<string, unknown>, node: AnyStateNode, findings: Findings): void {
  const { src, id, systemId } = action;
  if (typeof src !== 'string') {
    addSpawn('spawns logic that is written inline', node, findings);
    return;
  }
  const why = notDurable(own(node.machine.implementations.actors, src));
  if (why) addSpawn(`spawns "${src}", which ${why.what}`, node, findings);
  if (id === undefined) addSpawn(`spawns "${src}" without an id: its row would have no name`, node, findings);
  if (systemId !== undefined)
    findings.add(
      'SYSTEM_ID',
      node,
      `spawns "${src}" with a systemId, which needs a system of live actors`,
      'give it an id alone',
    );
}
