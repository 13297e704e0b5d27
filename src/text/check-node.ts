// Imported before everything else by each entry of the package, so that an older Node gets a clear error instead of a syntax
// error.
import { nodeProblem } from './needs-node.ts';

const problem = nodeProblem(process.versions.node);
if (problem !== null) throw new Error(problem);
