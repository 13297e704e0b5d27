import { usage } from '../parse.ts';

type Verb = (args: readonly string[]) => Promise<number>;

const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  list: async () => (await import('./list.ts')).listRuns,
  show: async () => (await import('./show.ts')).showRun,
  confirm: async () => (await import('./decide.ts')).confirmCall,
  reconcile: async () => (await import('./decide.ts')).reconcileCall,
  resume: async () => (await import('./resume.ts')).resumeRuns,
};

/** `detent runs list|show|confirm|reconcile|resume`. */
export async function runsCommand([verb, ...args]: readonly string[]): Promise<number> {
  const load = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!load)
    throw usage(
      `"detent runs" knows ${Object.keys(verbs).join(', ')}${verb === undefined ? '' : `, not "${verb}"`}`,
    );
  return (await load())(args);
}
