/**
 * `npm run bench -- steps [--quick] [--json]`: what Detent costs, beside floors measured in the same run;
 * `npm run bench -- session`: what a turn of one session costs early and late; `sandbox` and `tools`: what a command, a call
 * of an MCP server, and calls side by side cost; `memory`: how well memory is searched, and what that costs; `skills`: what a
 * start with many skills costs; `processes`: what several processes on one database do together; `start`: what a start costs
 * beside that of Node, and how big an install is; `peers`: starts and steps beside those of other frameworks; `gateway`: what
 * many clients that watch runs cost; `load`: what people notice of attackers, for an hour; `schedule`: what many jobs cost; `workflows`: what many cost that wait;
 * `core`: what the core for phones weighs; `database`: what a run costs on SQLite and on PostgreSQL; `transitions`: what a step of a workflow costs beside others.
 *
 * @module
 */

const benches: Readonly<Record<string, () => Promise<{ main(args: string[]): Promise<void> }>>> = {
  core: () => import('./core/main.ts'),
  database: () => import('./database/main.ts'),
  gateway: () => import('./gateway/main.ts'),
  load: () => import('./load/main.ts'),
  memory: () => import('./memory/main.ts'),
  sandbox: () => import('./sandbox.ts'),
  peers: () => import('./peers/main.ts'),
  processes: () => import('./processes/main.ts'),
  steps: () => import('./steps/main.ts'),
  skills: () => import('./skills/main.ts'),
  schedule: () => import('./schedule/main.ts'),
  session: () => import('./session.ts'),
  start: () => import('./start/main.ts'),
  tools: () => import('./tools.ts'),
  transitions: () => import('./transitions/main.ts'),
  workflows: () => import('./workflows/main.ts'),
};

const [name = '', ...rest] = process.argv.slice(2);
const load = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (load) await (await load()).main(rest);
else {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [--help]`);
  process.exitCode = 2;
}
