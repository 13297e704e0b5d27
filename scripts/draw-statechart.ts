/**
 * Writes the drawings of the machines into the documents, between `<!-- drawn: NAME -->` and `<!-- /drawn -->`.
 *
 *     node scripts/draw-statechart.ts           # brings them up to date
 *     node scripts/draw-statechart.ts --check   # exit code 1 when one is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { callMachine, callMachineVersion } from '../machines/call.machine.ts';
import { jobMachine, jobMachineVersion } from '../machines/job.machine.ts';
import { runMachine, runMachineVersion } from '../machines/run.machine.ts';
import { drawMermaid } from '../src/inspect/draw.ts';
import { definitionOf } from '../src/runtime/chart/definition.ts';

const drawings: Readonly<Record<string, () => string>> = {
  statechart: () => drawMermaid(definitionOf('run', runMachineVersion, runMachine)),
  call: () => drawMermaid(definitionOf('call', callMachineVersion, callMachine)),
  job: () => drawMermaid(definitionOf('job', jobMachineVersion, jobMachine)),
  overview: () => drawOverview(runMachine),
};

const documents = ['README.md', 'docs/architecture.md', 'docs/schedule.md'];

/** Names of one edge in the overview beyond this many are left out. */
const maxNames = 2;

if (import.meta.main) {
  const isCheck = process.argv.includes('--check');
  for (const document of documents) {
    const file = new URL(`../${document}`, import.meta.url);
    const before = readFileSync(file, 'utf8');
    const after = withDrawings(before);
    if (after === before) continue;
    if (!isCheck) writeFileSync(file, after);
    console.error(
      isCheck ? `${document} is out of date; run: node scripts/draw-statechart.ts` : `drew ${document}`,
    );
    if (isCheck) process.exitCode = 1;
  }
}

/** The text with every drawing in it renewed. @throws Error when a marker names no drawing. */
export function withDrawings(text: string): string {
  return text.replaceAll(
    /(<!-- drawn: (\S+) -->\n)[\s\S]*?(<!-- \/drawn -->)/g,
    (_, open: string, name: string, close: string) => {
      const draw = drawings[name];
      if (!draw)
        throw new Error(`there is no drawing "${name}"; there are ${Object.keys(drawings).join(', ')}`);
      return `${open}\`\`\`mermaid\n${draw()}\`\`\`\n${close}`;
    },
  );
}

/**
 * The statechart in one glance: no nesting, no inner states of `working`, one edge for each pair of states. What leads
 * out of a whole region (cancel, deadline) is left to the words around it.
 */
function drawOverview(machine: AnyStateMachine): string {
  const shown = nodesOf(machine.root).filter(isShown);
  const first = shownOf(machine.root);
  const edges = new Map<string, Set<string>>();
  for (const from of nodesOf(machine.root)) {
    if (isRegion(from)) continue;
    for (const { target, eventType, guard } of [
      ...[...from.transitions.values()].flat(),
      ...(from.always ?? []),
    ]) {
      const name = eventType || (guard ? `[${(guard as { type?: string }).type ?? guard}]` : '');
      for (const to of target ?? []) {
        const [source, end] = [shownOf(from), shownOf(to as AnyStateNode)];
        if (source === end) continue;
        const key = `${source.key} --> ${end.key}`;
        edges.set(key, (edges.get(key) ?? new Set()).add(name));
      }
    }
  }
  return [
    'stateDiagram-v2',
    `  [*] --> ${first.key}`,
    ...[...edges].map(([edge, names]) => `  ${edge}${labelOf([...names].filter((name) => name !== ''))}`),
    ...shown.filter((node) => node.type === 'final').map((node) => `  ${node.key} --> [*]`),
    '',
  ].join('\n');
}

function labelOf(names: readonly string[]): string {
  if (names.length === 0) return '';
  return `: ${names.slice(0, maxNames).join(', ')}${names.length > maxNames ? ', …' : ''}`;
}

function nodesOf(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(nodesOf)];
}

/** `active` and `working` frame other states; they are not drawn. */
function isRegion(node: AnyStateNode): boolean {
  return ['', 'active', 'active.working'].includes(node.path.join('.'));
}

function isShown(node: AnyStateNode): boolean {
  return !isRegion(node) && (node.parent ? isRegion(node.parent) : false);
}

/** The drawn state that a node is part of, or begins with. */
function shownOf(node: AnyStateNode): AnyStateNode {
  const [initial] = node.initial?.target ?? [];
  if (isRegion(node)) return initial ? shownOf(initial as AnyStateNode) : node;
  return isShown(node) || !node.parent ? node : shownOf(node.parent);
}
