import { isStopTerm, Ranking, rankedDocument, segment } from '../../text/ranking.ts';
import { compareItems, isWanted, itemOf, plain } from '../items.ts';
import type { FoundItem, Product, ProductPage, ProductQuery } from '../models.ts';

/** Words of products, by which they are found. Good for one state of the names; prices and stock may change. */
export class ItemIndex {
  readonly #ranking: Ranking;
  readonly #places: ReadonlyMap<string, number>;
  readonly #named: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #alsoNamed: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(products: readonly Product[]) {
    const items = products.flatMap((product) => product.variants.map((variant) => ({ product, variant })));
    this.#places = new Map(items.map(({ variant }, at) => [variant.id, at]));
    this.#ranking = new Ranking(
      items.map(({ product, variant }) =>
        rankedDocument([
          { text: `${product.name} ${alone(product.name)}`, weight: 3 },
          {
            text: `${product.category ?? ''} ${product.words.join(' ')} ${alone(product.words.join(' '))}`,
            weight: 2,
          },
          { text: Object.entries(variant.options).flat().join(' '), weight: 1 },
        ]),
      ),
    );
    this.#named = idsBy(products, ({ name }) => [name]);
    this.#alsoNamed = idsBy(products, ({ words }) => words);
  }

  /**
   * By item, how well it fits: those that have all the words, or a misspelling of them; if there are none, those that have most.
   * Words that are the name of a product mean that product.
   */
  find(words: string): (item: FoundItem) => number {
    const named = this.#named.get(plain(words)) ?? this.#alsoNamed.get(plain(words));
    if (named) return ({ productId }) => (named.has(productId) ? 1 : 0);
    const scores = new Map(this.#ranking.rank(words).map(({ at, score }) => [at, score]));
    const terms = segment(words).filter(({ term }) => !isStopTerm(term));
    const having = terms.map(
      ({ term, word }) => new Set(this.#ranking.rank(word ?? term).map(({ at }) => at)),
    );
    const all = [...scores.keys()].filter((at) => having.every((places) => places.has(at)));
    const most = Math.max(0, ...scores.values());
    const kept = new Set(
      all.length > 0 ? all : [...scores].flatMap(([at, score]) => (score >= most / 2 ? at : [])),
    );
    return ({ variant }) => {
      const at = this.#places.get(variant.id);
      return at !== undefined && kept.has(at) ? (scores.get(at) ?? 0) : 0;
    };
  }
}

/** The items of a query, in its order; equal ones by their ids, so that a page never repeats one. */
export function searchItems(
  products: readonly Product[],
  query: ProductQuery,
  index: ItemIndex,
): ProductPage {
  const words = query.words?.trim();
  const likeness = words ? index.find(words) : () => 1;
  const found = products
    .flatMap((product) => product.variants.map((variant) => itemOf(product, variant)))
    .filter((item) => isWanted(item, query))
    .map((item) => ({ item, score: likeness(item) }))
    .filter(({ score }) => score > 0)
    .sort(
      (a, b) =>
        compareItems(a.item, b.item, query) ||
        b.score - a.score ||
        (a.item.variant.id < b.item.variant.id ? -1 : 1),
    );
  const from = (query.page - 1) * query.pageSize;
  return { total: found.length, items: found.slice(from, from + query.pageSize).map(({ item }) => item) };
}

/** The ids of products by their names of one kind. */
function idsBy(
  products: readonly Product[],
  namesOf: (product: Product) => readonly string[],
): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const product of products)
    for (const name of namesOf(product).map(plain))
      ids.set(name, (ids.get(name) ?? new Set()).add(product.id));
  return ids;
}

/** Each Chinese character alone, so that a query of one finds it. */
function alone(text: string): string {
  return (text.match(/\p{Script=Han}/gu) ?? []).join(' ');
}
