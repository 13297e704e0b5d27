/**
 * Who may import whom. A room (a folder of `src`, `machines`, or `web`) imports only from rows below its own; rooms of one row
 * do not know each other. `inside` says the same of what lies in a room: its folders and the files at its top. A room shows other
 * rooms the files at its top, its doors: what lies in its folders is its own.
 */
export const rows: readonly (readonly string[])[] = [
  ['cli', 'web'],
  ['gateway', 'sdk', 'testing'],
  ['inspect', 'eval'],
  ['core', 'index'],
  ['runtime'],
  ['workflow', 'schedule', 'shop'],
  ['runs'],
  ['agent', 'telemetry', 'trust'],
  ['call', 'models', 'tools', 'skills', 'memory', 'cluster'],
  ['engine'],
  ['store'],
  ['client'],
  ['protocol'],
  ['machines', 'text'],
];

export const inside: Readonly<Record<string, readonly (readonly string[])[]>> = {
  agent: [
    ['compaction'],
    ['model-call'],
    ['prompt'],
    ['hooks', 'skills', 'usage'],
    ['services'],
    ['effect'],
    ['messages'],
  ],
  call: [
    ['call-host'],
    ['calling'],
    ['perform-call'],
    ['perform'],
    ['decide-call'],
    ['messages', 'policy'],
    ['hooks', 'statements'],
  ],
  core: [
    ['conversations', 'index', 'openai', 'sub-runs', 'workflows'],
    ['create-core'],
    ['compose'],
    ['options'],
    ['globals'],
  ],
  cli: [
    ['main'],
    ['process'],
    ['program'],
    ['commands'],
    ['drive'],
    ['port'],
    ['settings'],
    ['trust'],
    ['terminal'],
    ['compiled-code'],
  ],
  memory: [
    ['conversations', 'memory', 'memory-tools'],
    ['eval', 'notes'],
    ['index'],
    ['search'],
    ['embeddings', 'markdown'],
  ],
  models: [
    ['named-addresses'],
    ['find-model'],
    ['provider-config'],
    ['anthropic', 'demo', 'host-model', 'openai', 'router'],
    ['catalogue', 'wire', 'with-thinking'],
  ],
  runs: [
    ['users'],
    ['sessions'],
    ['events', 'inspection', 'runs'],
    ['commands', 'history'],
    ['views'],
    ['decisions', 'flows', 'lists'],
    ['takeover'],
    ['story'],
    ['rows'],
    ['kinds'],
  ],
  runtime: [['api', 'compose'], ['parts', 'settings'], ['requests'], ['chart', 'config']],
  schedule: [
    ['scheduler'],
    ['work'],
    ['jobs'],
    ['deliver'],
    ['door'],
    ['stored-jobs'],
    ['job-host'],
    ['api', 'machine', 'times'],
  ],
  shop: [
    ['index'],
    ['open-shop'],
    ['tools'],
    ['demo', 'ucp'],
    ['http'],
    ['state'],
    ['rules'],
    ['shop-api'],
    ['items'],
    ['models'],
    ['fields', 'money'],
  ],
  store: [
    ['copy'],
    ['sql', 'postgres'],
    ['store'],
    ['program'],
    ['statements'],
    ['query'],
    ['rows', 'run-options'],
    ['schema', 'stored-message'],
  ],
  tools: [
    ['builtin', 'mcp'],
    ['plain-toolbox'],
    ['calls', 'output', 'policy'],
    ['registry', 'sandbox'],
    ['files', 'http', 'math'],
  ],
  trust: [['keep'], ['judge-folder'], ['own'], ['survey'], ['places'], ['records'], ['code']],
  web: [['main'], ['shell'], ['pages'], ['parts'], ['data'], ['base']],
};

/** Files that the package publishes on their own, from a folder: other rooms may import them, too. */
export const published: readonly string[] = ['src/gateway/adapters/node.ts'];

/** How many files may lie at the top of a room, and of those that say more than others. */
export const doors: Readonly<Record<string, number>> & { others: number } = {
  others: 8,
  protocol: 12,
  store: 12,
};

/** Rooms that import only these of the rooms below them: the page runs in a browser. */
export const only: Readonly<Record<string, readonly string[]>> = {
  web: ['client', 'protocol'],
};

/** Folders of many files of one kind, each found by its name: there, a small file with a single importer is as it should be. */
export const families: readonly string[] = [
  'src/cli/commands',
  'src/runtime/api',
  'src/runtime/parts',
  'src/shop/tools',
  'src/store/statements',
  'src/tools/builtin',
  'web/src/pages',
];

/** The packages that a room may import, `node:` for Node's own modules. A room without a line may import any. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  machines: ['xstate'],
  text: [
    'stemmer',
    '@cfworker/json-schema',
    'node:fs',
    'node:module',
    'node:path',
    'node:crypto',
    'node:os',
    'node:timers',
    'node:worker_threads',
    'better-sqlite3',
  ],
  protocol: ['zod/mini', 'zod/v4/locales/en.js', 'tokenx'],
  client: [],
  sdk: [],
  engine: ['xstate', 'node:async_hooks'],
  runs: ['xstate', 'zod/mini', 'zod/v4/locales/en.js'],
  web: ['preact', '@preact/signals', '@tanstack/virtual-core', 'marked', 'diff', 'temml'],
};
