import { count, money } from '../../base/format.ts';
import type { Budget } from '../../data/answers.ts';
import { t } from './words.ts';

/** What is spent of each budget in its present period. */
export function Budgets({ budgets }: { budgets: readonly Budget[] }) {
  if (budgets.length === 0) return null;
  return (
    <section class="budgets" aria-labelledby="budgets-title">
      <h2 id="budgets-title">{t.budgets}</h2>
      <ul>
        {budgets.map(({ name, per, tokens, costUsd }) => (
          <li key={name} class="panel">
            <h3>
              {name}{' '}
              <span class="dim">{per === null ? t.perAll : { day: t.perDay, month: t.perMonth }[per]}</span>
            </h3>
            {(costUsd.limit !== null || tokens.limit === null) && (
              <Account account={costUsd} textOf={money} />
            )}
            {tokens.limit !== null && <Account account={tokens} textOf={(n) => t.nTokens(count(n))} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AccountProps {
  account: Budget['tokens'];
  textOf(value: number): string;
}

function Account({ account: { limit, spent, held }, textOf }: AccountProps) {
  return (
    <div class="account">
      <p>{limit === null ? t.noLimit(textOf(spent)) : t.spentOf(textOf(spent), textOf(limit))}</p>
      {limit !== null && limit > 0 && (
        <svg class="account-bar" width="100%" height="8" aria-hidden="true">
          <rect class="account-all" width="100%" height="8" rx="2" />
          <rect class="series-fill" width={`${Math.min(100, (100 * spent) / limit)}%`} height="8" rx="2" />
        </svg>
      )}
      {held > 0 && <p class="dim">{t.held(textOf(held))}</p>}
    </div>
  );
}
