import { Option } from 'commander';
import type { BudgetView, UsageReport } from '../../index.ts';
import { usageGroups } from '../../protocol/enums.ts';
import { reading } from '../drive/with-detent.ts';
import { type Flags, given, oneOf, text, wholeNumber } from '../settings/flags.ts';
import { hasDatabase, loadOptions } from '../settings/load-options.ts';
import { moment } from '../settings/moment.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { DetentCommand } from './command.ts';

export function defineUsage(program: DetentCommand): void {
  program
    .command('usage')
    .summary('the cost of model calls, and what is left of budgets')
    .description(
      'The cost of model calls, summed from the ledger, which keeps every call even when its run is deleted; and the spent, reserved and remaining amounts of the shared budgets. Days are in UTC.',
    )
    .addOption(
      new Option('--by <WHAT>', 'day (default), model, session, user, run or purpose').choices(usageGroups),
    )
    .option('--session <K>', 'only the conversation K')
    .option('--user <U>', 'only conversations of the user U')
    .option('--run <ID>', 'only this run')
    .option('--since <TIME>', 'from a day or time on (2026-01-31, 2026-01-31T08:00Z), or for so long (7d)')
    .option('--until <TIME>', 'up to a day (with that day), or a time')
    .option(
      '--limit <N>',
      'at most this many lines (default: 100), the most recently used; the total includes all',
    )
    .jsonOption()
    .placeOptions()
    .examples(
      'detent usage --since 7d',
      'detent usage --by model --since 2026-01-01 --until 2026-01-31',
      "detent usage --json | jq '.total.costUsd, .budgets'",
    )
    .performedBy(async () => showUsage);
}

interface UsageOutput {
  usage: UsageReport;
  budgets: BudgetView[];
  prices: PriceSource[];
  /** Calls that used tokens without a known price. */
  unpriced: number;
}

interface PriceSource {
  provider: string;
  checked: string;
  source: string;
}

/** `detent usage`: the cost of model calls, and what is left of the budgets. */
async function showUsage(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const by = oneOf(flags, 'by', usageGroups) ?? 'day';
  const now = Date.now();
  const filter = {
    by,
    limit: wholeNumber(flags, 'limit', 1) ?? 100,
    ...given('sessionId', text(flags, 'session')),
    ...given('userId', text(flags, 'user')),
    ...given('runId', text(flags, 'run')),
    ...given('from', moment(flags, 'since', 'start', now)),
    ...given('to', moment(flags, 'until', 'end', now)),
  };
  const options = await loadOptions(flags, io);
  if (!hasDatabase(options)) {
    if (flags.json) io.out('null\n');
    else io.say('there is no usage here yet');
    return exit.ok;
  }
  const found = await reading(options, async (detent): Promise<UsageOutput> => {
    const usage = await detent.usage(filter);
    const byModel = await detent.usage({ ...filter, by: 'model' });
    const used = byModel.groups.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0);
    return {
      usage,
      budgets: await detent.budgets.list(),
      prices: await sourcesOf(byModel),
      unpriced: used.reduce((sum, group) => sum + group.unpriced, 0),
    };
  });
  if (flags.json) io.json({ ...found.usage, budgets: found.budgets, prices: found.prices });
  else io.out(usageTables(found));
  return exit.ok;
}

function usageTables({ usage, budgets, prices, unpriced }: UsageOutput): string {
  const { by, groups, total } = usage;
  const rows = [...groups, { ...total, key: 'total' }].map(({ key, ...sum }) => [
    key || (by === 'user' ? '(none)' : '(deleted)'),
    count(sum.calls),
    count(sum.inputTokens),
    count(sum.cachedInputTokens),
    count(sum.outputTokens),
    sum.costUsd === null ? '?' : usd(sum.costUsd),
  ]);
  const parts = [
    total.calls === 0
      ? 'no model was called\n'
      : table([[by, 'calls', 'input', 'cached', 'output', 'cost'], ...rows]),
    notes(usage, unpriced),
    budgets.length === 0
      ? ''
      : table([['budget', 'period', 'spent', 'held', 'left'], ...budgets.flatMap(budgetRows)]),
    pricesInWords(prices),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function notes({ groups, total }: UsageReport, unpriced: number): string {
  const calls = (n: number) => `${count(n)} call${n === 1 ? '' : 's'}`;
  const shown = groups.reduce((sum, group) => sum + group.calls, 0);
  return [
    ...(shown < total.calls
      ? [`${calls(total.calls - shown)} in groups that are not shown; --limit shows more\n`]
      : []),
    ...(total.failed > 0 ? [`${calls(total.failed)} failed\n`] : []),
    ...(total.estimated > 0
      ? [`${calls(total.estimated)} broke off: part of their tokens are Detent's estimate\n`]
      : []),
    ...(total.cached > 0 ? [`${calls(total.cached)} answered from the cache, at no cost\n`] : []),
    ...(unpriced > 0
      ? [
          `${calls(unpriced)} ${unpriced === 1 ? 'has no known price and is' : 'have no known price and are'} not counted\n`,
        ]
      : []),
  ].join('');
}

/** One row for each kind of limit; for a budget without limits, the amount spent. */
function budgetRows({ name, period, tokens, costUsd, users = [] }: BudgetView): string[][] {
  const when = period ?? 'always';
  return [
    ...accountRows(name, when, { tokens, costUsd }),
    ...users.flatMap(({ userId, ...accounts }) => accountRows(`  ${userId ?? '(no user)'}`, when, accounts)),
  ];
}

function accountRows(
  name: string,
  when: string,
  { tokens, costUsd }: Pick<BudgetView, 'tokens' | 'costUsd'>,
): string[][] {
  const of = (account: BudgetView['tokens'], show: (n: number) => string) => [
    name,
    when,
    account.limit === null ? show(account.spent) : `${show(account.spent)} of ${show(account.limit)}`,
    show(account.held),
    account.left === null ? 'no limit' : show(account.left),
  ];
  const inTokens = of(tokens, (n) => `${count(n)} tokens`);
  if (costUsd.limit === null) return [inTokens];
  const inUsd = of(costUsd, usd);
  return tokens.limit === null ? [inUsd] : [inTokens, inUsd];
}

/** The price lists that these calls may have used. */
async function sourcesOf({ groups }: UsageReport): Promise<PriceSource[]> {
  const { priceLists } = await import('../../models/catalogue.ts');
  const providers = new Set(groups.map(({ key }) => key.split('/', 1)[0] ?? ''));
  return Object.entries(priceLists)
    .filter(([provider]) => providers.has(provider))
    .map(([provider, { checked, source }]) => ({ provider, checked, source }));
}

function pricesInWords(prices: readonly PriceSource[]): string {
  if (prices.length === 0) return 'costs are in US dollars, by the prices of the configuration\n';
  const rows = prices.map(({ provider, checked, source }) => `  ${provider}, ${checked}: ${source}\n`);
  return `costs are in US dollars, by the prices of the configuration, or else of these lists:\n${rows.join('')}`;
}

/** Aligns the first column left, and numbers right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const cell = (text: string, i: number) =>
    i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0);
  return rows.map((row) => `${row.map(cell).join('  ').trimEnd()}\n`).join('');
}

function count(n: number): string {
  return n.toLocaleString('en');
}

function usd(n: number): string {
  return `$${n.toFixed(4)}`;
}
