import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';
import { isDeep, isFullSize } from './test/support/size.ts';

/**
 * Files that `npm test` leaves to the deep size, beside others of the same suite: hostile worlds, tours of all pages, other
 * programs and compilers. A file whose name is on the command line is run at any size.
 */
const deep = [
  'test/agent/compaction/long-session.test.ts',
  'test/browser/{actors,chart,chat-speed,code-and-math,descenders,every-page,hostile,knowledge}.test.ts',
  'test/browser/{left-run,readout,restart,session-acts,staff,styles,tour,usage,workflow-question,workflow-run}.test.ts',
  'test/cli/{postgres,start}.test.ts',
  'test/cli/{drive/interruptions,port/gateway-jobs}.test.ts',
  'test/cli/commands/completion/shells.test.ts',
  'test/cli/commands/serve/side-by-side.test.ts',
  'test/cli/stopping.test.ts',
  'test/cli/trust/{git-state,places}.test.ts',
  'test/cli/terminal/foreign-text.test.ts',
  'test/client/chaos.test.ts',
  'test/clients/android/android.test.ts',
  'test/clients/java/{chaos,phone,shop,streams}.test.ts',
  'test/clients/kotlin/*.test.ts',
  'test/cluster/{cron-nodes,server-clock,server-drivers,two-versions}.test.ts',
  'test/crash/{postgres-crash,server-stops}.test.ts',
  'test/crash/notices/notices-crash.test.ts',
  'test/docs/backend.test.ts',
  'test/gateway/killed/killed.test.ts',
  'test/gateway/methods/agent.test.ts',
  'test/gateway/openai/{agents-sdk,large-answers}.test.ts',
  'test/memory/{crash,planted-facts,shared-thread}.test.ts',
  'test/memory/eval/quality.test.ts',
  'test/package/{image,published}.test.ts',
  'test/runs/history/{fork-everywhere,preview}.test.ts',
  'test/runs/{no-sockets,several-drivers-timers}.test.ts',
  'test/runs/{takeover,users}/killed.test.ts',
  'test/runtime/stray-failures.test.ts',
  'test/store/sql/contention.test.ts',
  'test/testing/agent-path-faults.test.ts',
  'test/tools/mcp/{conformance,odd-servers,reference-server}.test.ts',
  'test/tools/sandbox/{command-limits,endings}.test.ts',
  'test/workflow/examples/{against-create-actor,killed}.test.ts',
];
/** Rarer cases of the other files (test/support/deep.ts) go with them. */
const hasRarer = isDeep || process.argv.some((word) => word.endsWith('.test.ts'));

/**
 * Tests that count timers, threads, memory, processor time or rejections of their process, or put something else in the
 * place of its parts, or need a `JSON.parse` that no other test has made misread keys; and long ones that share little of the
 * program. Each has a process of its own.
 */
const alone = [
  'test/{architecture,docs,package,support}/**/*.test.ts',
  'test/memory/shared-thread.test.ts',
  'test/models/demo/streaming.test.ts',
  'test/models/{anthropic,openai}/request.test.ts',
  'test/runs/sessions/export.test.ts',
  'test/runtime/{closing,handle,reopening}.test.ts',
  'test/store/sql/{durability,in-memory,plans}.test.ts',
  'test/tools/builtin/{calculator,read-file}.test.ts',
  'test/tools/calls/run-call.test.ts',
  'test/tools/sandbox/command-limits.test.ts',
];

/** Tests make many objects that are gone at once: with more room for these, Node spends an eighth less on them. */
const execArgv = ['--min-semi-space-size=16', '--max-semi-space-size=64'];

/** Vitest starts Node with Vite's conditions, and one package has TypeScript as "development", which Node does not load there. */
const asNodeResolves: Plugin = {
  name: 'as-node-resolves',
  configResolved(config) {
    config.ssr.resolve = { ...config.ssr.resolve, conditions: ['node'] };
  },
};

export default defineConfig({
  plugins: [asNodeResolves],
  test: {
    pool: 'forks',
    // Node loads the modules itself, as in a clone. Vite would transform each and look up an imported name at every use: an
    // eighth of all processor time. No test mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // For two cores: four fifths of a test is processor time of its own or of its processes, the rest it waits. Three workers
    // leave a quarter of the two cores idle, four an eighth; five take longer.
    maxWorkers: 4,
    // Vitest calls it for each project; where there is nothing to do that takes no time.
    globalSetup: [
      './scripts/install-sandbox.mjs',
      './test/support/bundled-program.ts',
      './test/support/postgres-server.ts',
    ],
    reporters: ['default', './test/support/slowest-reporter.ts', './test/support/not-run-reporter.ts'],
    // Two cores, several processes a test: a time-out is for what hangs, not for what is slow.
    // The full sizes take as long as they take.
    testTimeout: isFullSize ? 3_600_000 : isDeep ? 600_000 : 120_000,
    hookTimeout: 60_000,
    // A second, as vitest has it, is too little for what another process does on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // The refusals of a gateway that tests provoke.
    onConsoleLog: (text) => !text.startsWith('detent: gateway: '),
    setupFiles: ['./test/support/setup.ts'],
    sequence: { sequencer: LongestFirst },
    exclude: hasRarer ? [] : deep,
    provide: { hasRarer },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          execArgv,
          include: ['test/**/*.test.ts'],
          exclude: ['test/{browser,crash,model-based}/**', ...alone],
          // The program is loaded once a worker, not once a file.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone },
      },
      {
        extends: true,
        test: {
          name: 'model-based',
          execArgv,
          include: ['test/model-based/**/*.test.ts'],
          testTimeout: isFullSize ? 3_600_000 : 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          execArgv,
          include: ['test/browser/**/*.test.ts'],
          // The program is loaded once a worker, not once a file.
          isolate: false,
          // Behind all others, because a browser would slow down tests that wait.
          sequence: { groupOrder: 1 },
          globalSetup: ['./test/browser/built-page.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'crash',
          include: ['test/crash/**/*.test.ts'],
          testTimeout: isFullSize ? 3_600_000 : 900_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
