/**
 * `npm run bench -- steps [--quick] [--json]`: what Detent costs, beside floors measured in the same run.
 *
 * @module
 */

const benches: Readonly<Record<string, () => Promise<{ main(args: string[]): Promise<void> }>>> = {
  steps: () => import('./steps/main.ts'),
};

const [name = '', ...rest] = process.argv.slice(2);
const load = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (load) await (await load()).main(rest);
else {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [--help]`);
  process.exitCode = 2;
}
