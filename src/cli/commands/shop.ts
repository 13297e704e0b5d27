import { readWhole } from '../../text/files.ts';
import { reading, tenantOf, withDetent } from '../drive/with-detent.ts';
import { type Flags, word } from '../settings/flags.ts';
import { hasDatabase, loadOptions } from '../settings/load-options.ts';
import { moment } from '../settings/moment.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { DetentCommand } from './command.ts';

export function defineShop(program: DetentCommand): void {
  const shop = program
    .command('shop')
    .summary('the shop behind the tools of an assistant')
    .description('The shop behind the tools of an assistant; see docs/shop.md.');

  shop
    .command('import')
    .summary('fill the demo shop from a file')
    .description(
      'Fills the demo shop from a JSON file of products, orders and users in the format of the tau2-bench retail shop, completely or not at all, and adds some products with Chinese names.',
    )
    .argument('<FILE>', 'the JSON file')
    .option('--replace', 'replace everything in the shop, including changes by customers')
    .jsonOption()
    .with(shopTenantOption)
    .placeOptions()
    .examples('detent shop import db.json')
    .performedBy(async () => importCommand);

  shop
    .command('report')
    .summary('the assistant’s results for the shop')
    .description(
      'Counts the sessions that called a tool of the shop: how many needed no person, the items added to carts and the orders that followed, the users’ ratings, and the cost.',
    )
    .option('--since <TIME>', 'from a day or time on (2026-01-31, 2026-01-31T08:00Z), or for so long (7d)')
    .option('--until <TIME>', 'up to a day (with that day), or a time')
    .jsonOption()
    .with(shopTenantOption)
    .placeOptions()
    .examples('detent shop report --since 7d')
    .performedBy(async () => reportCommand);
}

/** `detent shop import FILE`. */
async function importCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const file = io.path(word(words, 0, 'FILE'));
  const options = await loadOptions(flags, io);
  const json = (await readWhole(file)).toString();
  const made = await withDetent(options, async (detent) =>
    detent.shop.import(json, { ...(await tenantOf(detent, options)), replace: flags.replace === true }),
  );
  if (flags.json) io.json(made);
  else io.out(`${made.products} products, ${made.customers} customers, ${made.orders} orders\n`);
  return exit.ok;
}

/** `detent shop report`. */
async function reportCommand(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const now = Date.now();
  const [from, to] = [moment(flags, 'since', 'start', now), moment(flags, 'until', 'end', now)];
  const options = await loadOptions(flags, io);
  if (!hasDatabase(options)) {
    if (flags.json) io.out('null\n');
    else io.say('there is no shop here yet: "detent shop import FILE" fills one');
    return exit.ok;
  }
  const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const report = await reading(options, async (detent) =>
    detent.shop.report({ ...(await tenantOf(detent, options)), ...period }),
  );
  if (flags.json) io.json(report);
  else {
    const {
      sessions,
      answeredAlone,
      handedOver,
      calls,
      denied,
      cartAdds,
      checkouts,
      orders,
      ratings,
      costUsd,
    } = report;
    io.out(
      [
        `sessions         ${sessions}`,
        `without a person ${answeredAlone}`,
        `handed over      ${handedOver}`,
        `calls            ${calls}, ${denied} denied by a rule`,
        `cart adds        ${cartAdds}`,
        `links to pay     ${checkouts}`,
        `orders           ${orders}`,
        `ratings          ${ratings.up} up, ${ratings.down} down`,
        `cost             ${costUsd === null ? 'not known' : `$${costUsd.toFixed(4)}`}`,
        '',
      ].join('\n'),
    );
  }
  return exit.ok;
}

/** Adds --tenant, for a command on the shop of one. */
function shopTenantOption(command: DetentCommand): DetentCommand {
  return command.option('--tenant <NAME>', 'name or id of the tenant whose shop is meant (default: 1)');
}
