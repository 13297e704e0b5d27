import type { FoundItem, Product, ProductQuery } from './models.ts';

/** A variant with the fields of its product. */
export function itemOf(
  { id, name, category, rating, sales }: Product,
  variant: FoundItem['variant'],
): FoundItem {
  return { productId: id, name, category, rating, sales, variant };
}

/** Whether an item fits all filters of a query but its words. */
export function isWanted({ productId, category, rating, variant }: FoundItem, query: ProductQuery): boolean {
  const has = Object.entries(variant.options).map(([key, value]) => `${plain(key)}\n${plain(value)}`);
  const { minor } = variant.price;
  return (
    (query.productId === undefined || query.productId === productId) &&
    (query.category === undefined || (category !== null && plain(query.category) === plain(category))) &&
    (query.isAvailable === undefined || query.isAvailable === variant.isAvailable) &&
    (query.minPrice === undefined || minor >= query.minPrice.minor) &&
    (query.maxPrice === undefined || minor <= query.maxPrice.minor) &&
    (query.minRating === undefined || (rating !== null && rating >= query.minRating)) &&
    Object.entries(query.options ?? {}).every(([key, value]) =>
      has.includes(`${plain(key)}\n${plain(value)}`),
    )
  );
}

/** Compares two items in the order of a query; 0 if the query has none. */
export function compareItems(a: FoundItem, b: FoundItem, { sort }: Pick<ProductQuery, 'sort'>): number {
  switch (sort) {
    case 'price':
      return a.variant.price.minor - b.variant.price.minor;
    case 'price_descending':
      return b.variant.price.minor - a.variant.price.minor;
    case 'rating':
      return (b.rating ?? -1) - (a.rating ?? -1);
    case 'sales':
      return (b.sales ?? -1) - (a.sales ?? -1);
    case 'relevance':
      return 0;
  }
}

/** Without regard to case, width and spaces. */
export function plain(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().replace(/\s+/g, ' ');
}
