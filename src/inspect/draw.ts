import type { ChartState, MachineDefinition } from '../protocol/views.ts';

interface Edge {
  from: string;
  to: string;
  label: string;
}

/** The color of the states in which a run stands. */
const standing = '#ffd54f';

/**
 * The statechart in Mermaid's `stateDiagram-v2` (https://mermaid.js.org/syntax/stateDiagram.html).
 *
 * @param at ids of the states to mark
 */
export function drawMermaid(definition: MachineDefinition, at: readonly string[] = []): string {
  const lines = ['stateDiagram-v2'];
  const here: string[] = [];
  const draw = (initial: string | null, states: readonly ChartState[], indent: string) => {
    if (initial !== null) lines.push(`${indent}[*] --> ${identifierOf(initial)}`);
    for (const { id, key, type, initial: first, states: inner } of states) {
      if (inner.length === 0) {
        lines.push(`${indent}state "${inMermaid(key)}" as ${identifierOf(id)}`);
        if (at.includes(id)) here.push(identifierOf(id));
        if (type === 'final') lines.push(`${indent}${identifierOf(id)} --> [*]`);
        continue;
      }
      lines.push(`${indent}state "${inMermaid(key)}" as ${identifierOf(id)} {`);
      draw(first, inner, `${indent}  `);
      lines.push(`${indent}}`);
    }
  };
  draw(definition.initial, definition.states, '  ');
  for (const { from, to, label } of edgesOf(definition))
    lines.push(`  ${identifierOf(from)} --> ${identifierOf(to)}: ${inMermaid(label)}`);
  if (here.length > 0) lines.push(`  classDef here fill:${standing}`, `  class ${here.join(',')} here`);
  return `${lines.join('\n')}\n`;
}

/** The statechart in Graphviz DOT, compound states as clusters. @param at as of {@link drawMermaid} */
export function drawDot(definition: MachineDefinition, at: readonly string[] = []): string {
  const lines = [
    `digraph "${inDot(definition.name)}" {`,
    '  compound=true; rankdir=LR; node [shape=box, style=rounded];',
  ];
  const byId = new Map<string, ChartState>();
  const draw = (states: readonly ChartState[], indent: string) => {
    for (const state of states) {
      const { id, key, type, states: inner } = state;
      byId.set(id, state);
      if (inner.length === 0) {
        const here = at.includes(id) ? `, style="rounded,filled", fillcolor="${standing}"` : '';
        lines.push(
          `${indent}${identifierOf(id)} [label="${inDot(key)}"${type === 'final' ? ', peripheries=2' : ''}${here}];`,
        );
        continue;
      }
      lines.push(`${indent}subgraph cluster_${identifierOf(id)} {`, `${indent}  label="${inDot(key)}";`);
      draw(inner, `${indent}  `);
      lines.push(`${indent}}`);
    }
  };
  draw(definition.states, '  ');
  const isCompound = (id: string) => (byId.get(id)?.states.length ?? 0) > 0;
  const leafOf = (id: string): string => {
    const [first] = id === '' ? definition.states : (byId.get(id)?.states ?? []);
    return first ? leafOf(first.id) : id;
  };
  for (const { from, to, label } of edgesOf(definition)) {
    const ends = [
      ...(isCompound(from) ? [`ltail=cluster_${identifierOf(from)}`] : []),
      ...(isCompound(to) ? [`lhead=cluster_${identifierOf(to)}`] : []),
    ];
    lines.push(
      `  ${identifierOf(leafOf(from))} -> ${identifierOf(leafOf(to))} [label="${inDot(label)}"${ends.map((end) => `, ${end}`).join('')}];`,
    );
  }
  return `${lines.join('\n')}\n}\n`;
}

/** Every transition that leads somewhere, `always` included, labelled with its event and guard. */
function edgesOf({ transitions, states }: MachineDefinition): Edge[] {
  const edges: Edge[] = [];
  const visit = (from: Pick<ChartState, 'id' | 'states' | 'transitions'>) => {
    for (const { event, guard, targets } of from.transitions) {
      const label = [event, guard !== null && `[${guard}]`].filter(Boolean).join(' ') || 'always';
      for (const to of targets) edges.push({ from: from.id, to, label });
    }
    for (const inner of from.states) visit(inner);
  };
  visit({ id: '', states, transitions });
  return edges;
}

/** A name that both languages take without quotes. */
function identifierOf(id: string): string {
  const name = id
    .replaceAll('.', '_')
    .replaceAll(/\W/gu, (character) => `_u${character.codePointAt(0)?.toString(16)}_`);
  return name === '' || /^\d/.test(name) ? `root${name}` : name;
}

/** Text within the quotes of Mermaid, and of its labels, where `;` and a line end would end it. */
function inMermaid(text: string): string {
  return text.replaceAll(/["#;\n\r]/g, (character) => `#${character.codePointAt(0)};`);
}

/** Text within the quotes of DOT. */
function inDot(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&');
}
