import type { ModelPrice } from '../../protocol/ports.ts';
import table from './table.json' with { type: 'json' };

/** What the table has of a model. */
interface TableRow {
  /** Left out where it is not known. */
  price?: ModelPrice;
  contextWindow: number;
  maxOutputTokens: number;
}

/**
 * Prices and windows by preset and the provider's own model id: the catalogue of `@earendil-works/pi-ai` (MIT), reduced to what Detent
 * uses. `npm run models:renew` writes it anew; corrections of ours stand in `prices.ts` and `windows.ts`.
 */
export const modelTable: Readonly<Record<string, Readonly<Record<string, TableRow>>>> = table.providers;

/** The day on which that catalogue was made. */
export const tableDate: string = table.source.generatedAt;

export const tableSource: string = `${table.source.package} ${table.source.version}`;
