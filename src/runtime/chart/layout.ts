import type { ELK as Elk, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { ChartState, MachineDefinition } from './definition.ts';
import { allStates, type ChartEdge, edgesOf, spineOf } from './edges.ts';

/** Where the states and transitions of a machine are drawn, in pixels from the upper left corner. */
export interface MachineLayout {
  name: string;
  version: number;
  /** Of the definition that it shows. */
  hash: string;
  width: number;
  height: number;
  /** By the id of the state. Boxes of inner states lie within those of their parents. */
  states: Record<string, Box>;
  edges: LayoutEdge[];
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** All transitions between two states, drawn as one line. */
export interface LayoutEdge extends Omit<ChartEdge, 'label'> {
  /** From its beginning to its arrow head, with a corner at each point between. */
  points: { x: number; y: number }[];
  label: Box & { text: string };
  /** Whether it belongs to the shortest way from the initial state to the first final one. */
  isOnSpine: boolean;
}

/** What texts measure: those of states in 13 pixels, labels in 11 pixels of a monospaced font. */
const letter = { state: 7.5, label: 6.7 };
const stateHeight = 38;
const labelHeight = 16;

const common = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.spacing.nodeNodeBetweenLayers': '24',
  'elk.layered.spacing.edgeNodeBetweenLayers': '10',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.spacing.nodeNode': '24',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
};

/** Lays a machine out by ELK, which is loaded with the first layout. @throws DetentError `LAYOUT_FAILED`. */
export async function layoutOf(definition: MachineDefinition): Promise<MachineLayout> {
  const { default: ELK } = (await import('elkjs/lib/elk.bundled.js')) as unknown as {
    default: new () => Elk;
  };
  const edges = edgesOf(definition);
  const spine = spineOf(definition, edges);
  const initials = new Set(allStates(definition.states).map(({ initial }) => initial));
  const { name, version, hash } = definition;
  const graph: ElkNode = {
    id: name,
    layoutOptions: common,
    children: definition.states.map(nodeOf),
    // ELK changes what it is given: this graph is used once.
    edges: edges.map((edge) => elkEdgeOf(edge, spine.has(edge.id), initials.has(edge.from))),
  };
  const laidOut = await new ELK().layout(graph).catch((error: unknown) => {
    throw new DetentError(
      'LAYOUT_FAILED',
      `machine "${name}" cannot be laid out: ${messageOf(error)}; "detent machine show" draws it in other formats`,
      { cause: error },
    );
  });
  const { width = 0, height = 0 } = laidOut;
  const states = Object.fromEntries(boxesOf(laidOut.children ?? []));
  const drawn = new Map((laidOut.edges ?? []).map((edge) => [edge.id, edge]));
  return {
    name,
    version,
    hash,
    width,
    height,
    states,
    edges: edges.map((edge) => ({
      ...edge,
      ...lineOf(edge, drawn.get(edge.id)),
      isOnSpine: spine.has(edge.id),
    })),
  };
}

function nodeOf(state: ChartState): ElkNode {
  const title = Math.ceil(state.key.length * letter.state);
  if (state.states.length === 0) return { id: state.id, width: title + 48, height: stateHeight };
  return {
    id: state.id,
    layoutOptions: {
      ...common,
      'elk.padding': '[top=36,left=16,bottom=16,right=16]',
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${title + 32},${stateHeight})`,
    },
    children: state.states.map(nodeOf),
  };
}

function elkEdgeOf(
  { id, from, to, label }: ChartEdge,
  isOnSpine: boolean,
  isFromInitial: boolean,
): ElkExtendedEdge {
  const priority = isOnSpine ? '10' : '0';
  // A state begins on the left.
  const isForward = isFromInitial && parentOf(from) === parentOf(to);
  return {
    id,
    sources: [from],
    targets: [to],
    labels: [{ text: label, width: Math.ceil(label.length * letter.label), height: labelHeight }],
    layoutOptions: {
      'elk.layered.priority.direction': isForward && !isOnSpine ? '1' : priority,
      'elk.layered.priority.straightness': priority,
      'elk.layered.priority.shortness': priority,
    },
  };
}

function parentOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('.')));
}

function boxesOf(nodes: readonly ElkNode[]): [string, Box][] {
  return nodes.flatMap((node): [string, Box][] => [[node.id, boxOf(node)], ...boxesOf(node.children ?? [])]);
}

function boxOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box>): Box {
  return { x, y, width, height };
}

function lineOf({ label: text }: ChartEdge, edge: ElkExtendedEdge | undefined) {
  const points = (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(({ x, y }) => ({ x, y })),
  );
  return { points, label: { ...boxOf(edge?.labels?.[0] ?? {}), text } };
}
