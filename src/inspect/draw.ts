import type { AnyStateMachine, AnyStateNode } from 'xstate';

interface Edge {
  from: AnyStateNode;
  to: AnyStateNode;
  label: string;
}

/** The statechart in Mermaid's `stateDiagram-v2` (https://mermaid.js.org/syntax/stateDiagram.html). */
export function drawMermaid(machine: AnyStateMachine): string {
  const lines = ['stateDiagram-v2'];
  const draw = (node: AnyStateNode, indent: string) => {
    const { initial, states } = node;
    const first = initial?.target[0];
    if (first) lines.push(`${indent}[*] --> ${idOf(first)}`);
    for (const child of Object.values(states)) {
      if (Object.keys(child.states).length === 0) {
        lines.push(`${indent}state "${child.key}" as ${idOf(child)}`);
        if (child.type === 'final') lines.push(`${indent}${idOf(child)} --> [*]`);
        continue;
      }
      lines.push(`${indent}state "${child.key}" as ${idOf(child)} {`);
      draw(child, `${indent}  `);
      lines.push(`${indent}}`);
    }
  };
  draw(machine.root, '  ');
  for (const { from, to, label } of edgesOf(machine)) lines.push(`  ${idOf(from)} --> ${idOf(to)}: ${label}`);
  return `${lines.join('\n')}\n`;
}

/** The statechart in Graphviz DOT, compound states as clusters. */
export function drawDot(machine: AnyStateMachine): string {
  const lines = [
    `digraph "${machine.id}" {`,
    '  compound=true; rankdir=LR; node [shape=box, style=rounded];',
  ];
  const draw = (node: AnyStateNode, indent: string) => {
    for (const child of Object.values(node.states)) {
      if (Object.keys(child.states).length === 0) {
        lines.push(
          `${indent}${idOf(child)} [label="${child.key}"${child.type === 'final' ? ', peripheries=2' : ''}];`,
        );
        continue;
      }
      lines.push(`${indent}subgraph cluster_${idOf(child)} {`, `${indent}  label="${child.key}";`);
      draw(child, `${indent}  `);
      lines.push(`${indent}}`);
    }
  };
  draw(machine.root, '  ');
  for (const { from, to, label } of edgesOf(machine)) {
    const ends = [
      ...(isCompound(from) ? [`ltail=cluster_${idOf(from)}`] : []),
      ...(isCompound(to) ? [`lhead=cluster_${idOf(to)}`] : []),
    ];
    lines.push(
      `  ${idOf(leafOf(from))} -> ${idOf(leafOf(to))} [label="${label}"${ends.map((end) => `, ${end}`).join('')}];`,
    );
  }
  return `${lines.join('\n')}\n}\n`;
}

/** Every transition that leads somewhere, `always` included, labelled with its event and guard. */
function edgesOf(machine: AnyStateMachine): Edge[] {
  const edges: Edge[] = [];
  const visit = (node: AnyStateNode) => {
    for (const transition of [...[...node.transitions.values()].flat(), ...(node.always ?? [])]) {
      const { eventType, guard, target } = transition;
      const name = typeof guard === 'string' ? guard : ((guard as { type?: string } | undefined)?.type ?? '');
      const label = [eventType, name && `[${name}]`].filter(Boolean).join(' ') || 'always';
      for (const to of target ?? []) edges.push({ from: node, to: to as AnyStateNode, label });
    }
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  return edges;
}

function isCompound(node: AnyStateNode): boolean {
  return Object.keys(node.states).length > 0;
}

function leafOf(node: AnyStateNode): AnyStateNode {
  const [first] = Object.values(node.states);
  return first ? leafOf(first) : node;
}

function idOf(node: AnyStateNode): string {
  return node.path.join('_') || 'root';
}
