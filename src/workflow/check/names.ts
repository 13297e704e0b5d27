import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { isReserved, reservedPrefixes } from '../../protocol/enums.ts';
import type { Findings } from './findings.ts';
import { implementationName, nodesOf, own, transitionsOf } from './written.ts';

/** The names of a chart: its version, its states, its events and its guards. */
export function checkNames(chart: AnyStateMachine, findings: Findings): void {
  if (chart.version === undefined)
    findings.add(
      'NO_VERSION',
      chart.root,
      'has no version, and counts as version 1',
      'put version: "1" in the config, and raise it with each change of states, services or context',
    );
  for (const node of nodesOf(chart.root)) {
    if (node.parent && node.key.startsWith('('))
      findings.add(
        'STATE_NAME',
        node,
        `the state "${node.key}" begins with "(": states with such names are Detent's own`,
        'give it another name',
      );
    checkEvents(node, findings);
    for (const { guard, eventType } of transitionsOf(node))
      checkGuard(guard, eventType, node, new Set(), findings);
  }
}

function checkEvents(node: AnyStateNode, findings: Findings): void {
  for (const type of Object.keys(node.config.on ?? {})) {
    // The end of a spawned child has no other handler.
    const mayTake = type === 'run.cancel' || /^xstate\.(done|error)\./.test(type);
    if (!mayTake && isReserved(type))
      findings.add(
        'RESERVED_EVENT',
        node,
        `takes "${type}": events with such names are Detent's own`,
        `give it another name; reserved are ${reservedPrefixes.join(' ')}, but for run.cancel`,
      );
  }
  if (node.config.route)
    findings.add(
      'RESERVED_EVENT',
      node,
      'has a route, but "xstate.route" does not come from outside',
      'give the state an event of its own',
    );
}

function checkGuard(
  guard: unknown,
  eventType: string,
  node: AnyStateNode,
  seen: Set<unknown>,
  findings: Findings,
): void {
  if (guard === undefined || seen.has(guard)) return;
  seen.add(guard);
  const inner = (of: unknown) => checkGuard(of, eventType, node, seen, findings);
  if (typeof guard === 'function') {
    // and(), or(), not() have the guards that they combine, stateIn() has none.
    if ('check' in guard) ((guard as { guards?: unknown[] }).guards ?? []).forEach(inner);
    else
      findings.add(
        'INLINE_GUARD',
        node,
        `the guard of ${eventType ? `"${eventType}"` : 'always'} is written inline: drawings and explanations cannot name it`,
        'name it in setup({ guards })',
      );
    return;
  }
  const name = implementationName(guard);
  const implementation = own(node.machine.implementations.guards, name);
  if (implementation === undefined)
    findings.add(
      'UNKNOWN_GUARD',
      node,
      name ? `the guard "${name}" is not in setup({ guards })` : 'has a guard without a name',
      name
        ? `implement "${name}" in setup({ guards })`
        : 'remove it, or give it a name and an implementation',
    );
  else if (typeof implementation !== 'function' || 'check' in implementation) inner(implementation);
}
