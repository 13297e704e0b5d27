// Imported before everything else by each entry of the package, so that an older Node says what is wrong, and not that it
// met a word that it does not know.
import { nodeProblem } from './needs-node.ts';

const problem = nodeProblem(process.versions.node);
if (problem !== null) throw new Error(problem);
