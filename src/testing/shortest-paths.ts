/** A graph that is found by walking it. */
interface Graph<Node, Move> {
  /** What makes two nodes the same. */
  key(node: Node): string;
  /** The moves to try at a node; none where it ends. */
  moves(node: Node): readonly Move[];
  moveKey(move: Move): string;
  /** Where a move leads; null where it changes nothing. */
  take(node: Node, move: Move): Node | null;
}

export interface ShortestPath<Node, Move> {
  /** From the start; the last one is the move that the path is for. */
  moves: Move[];
  /** Keys of the nodes before and after the last move. */
  from: string;
  to: string;
  /** Where it leads. */
  end: Node;
  /** Whether it was the first to get there, so that the paths from there begin with it. */
  isFirst: boolean;
}

/**
 * For each move of a graph a path that takes it last: the shortest way to where it is possible, then the move.
 *
 * @param maxMoves after so many moves the search ends
 */
export function shortestPaths<Node, Move>(
  start: Node,
  { key, moves, moveKey, take }: Graph<Node, Move>,
  maxMoves = Number.POSITIVE_INFINITY,
): { paths: ShortestPath<Node, Move>[]; isWhole: boolean } {
  const shortest = new Map<string, { moves: Move[]; node: Node }>([[key(start), { moves: [], node: start }]]);
  const paths: ShortestPath<Node, Move>[] = [];
  const seen = new Set<string>();
  // A Map is walked in the order of insertion, and what is found on the way is walked too: breadth first.
  for (const [from, known] of shortest)
    for (const move of moves(known.node)) {
      const edge = `${from} ${moveKey(move)}`;
      if (seen.has(edge)) continue;
      if (seen.size >= maxMoves) return { paths, isWhole: false };
      seen.add(edge);
      const end = take(known.node, move);
      if (end === null) continue;
      const path = [...known.moves, move];
      const to = key(end);
      const isFirst = !shortest.has(to);
      paths.push({ moves: path, from, to, end, isFirst });
      if (isFirst) shortest.set(to, { moves: path, node: end });
    }
  return { paths, isWhole: true };
}

/** The error of an expectation, which says on which path: some test runners show the message, others the stack. */
export function failedOn(path: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const message = `${error.message}\non the path ${path}`;
  error.stack = error.stack?.replace(error.message, () => message) ?? message;
  error.message = message;
  return error;
}
