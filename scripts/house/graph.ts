/** The imports of each file. Every imported name is a key. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The strongly connected components, imported ones first. Tarjan, "Depth-first search and linear graph algorithms" (1972). */
export function components(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): number => {
    const number = order.size;
    order.set(name, number);
    low.set(name, number);
    stack.push(name);
    for (const next of graph.get(name) ?? []) {
      if (order.has(next) && !stack.includes(next)) continue;
      const reached = order.has(next) ? (order.get(next) ?? 0) : visit(next);
      low.set(name, Math.min(low.get(name) ?? 0, reached));
    }
    const lowest = low.get(name) ?? 0;
    if (lowest === number) found.push(stack.splice(stack.indexOf(name)));
    return lowest;
  };
  for (const name of graph.keys()) if (!order.has(name)) visit(name);
  return found;
}

/** The components of more than one name. */
export function circles(graph: Graph): string[][] {
  return components(graph)
    .filter(({ length }) => length > 1)
    .map((names) => names.sort());
}

/** How many names the longest chain of imports has; a circle counts as one. */
export function floors(graph: Graph): number {
  const height = new Map<string, number>();
  for (const names of components(graph)) {
    const below = names.flatMap((name) => [...(graph.get(name) ?? [])].map((next) => height.get(next) ?? 0));
    for (const name of names) height.set(name, 1 + Math.max(0, ...below));
  }
  return Math.max(0, ...height.values());
}
