/** Products and coupons of our own beside those of an imported file, with Chinese names. Their amounts are whole: not every currency has parts. */
const products: readonly [
  string,
  string,
  string,
  readonly string[],
  number,
  number,
  readonly [string, string, number, Record<string, string>][],
][] = [
  [
    'zh-tea',
    '龙井茶',
    '茶叶',
    ['绿茶', '西湖龙井', 'longjing', 'green tea'],
    4.8,
    2310,
    [
      ['zh-tea-100', '48', 40, { 规格: '100克' }],
      ['zh-tea-250', '108', 25, { 规格: '250克' }],
    ],
  ],
  [
    'zh-pot',
    '紫砂壶',
    '茶具',
    ['茶壶', 'yixing teapot', 'clay teapot'],
    4.6,
    412,
    [
      ['zh-pot-s', '168', 12, { 容量: '150毫升' }],
      ['zh-pot-l', '238', 8, { 容量: '260毫升' }],
    ],
  ],
  [
    'zh-silk',
    '真丝围巾',
    '服饰',
    ['丝巾', 'silk scarf'],
    4.7,
    890,
    [
      ['zh-silk-red', '199', 20, { 颜色: '红色' }],
      ['zh-silk-blue', '199', 0, { 颜色: '蓝色' }],
    ],
  ],
  [
    'zh-ink',
    '毛笔套装',
    '文具',
    ['书法', '笔墨纸砚', 'calligraphy brush set'],
    4.5,
    150,
    [['zh-ink-3', '60', 30, { 数量: '三支' }]],
  ],
  [
    'zh-phone',
    '蓝牙耳机',
    '数码',
    ['无线耳机', 'bluetooth earphones'],
    4.2,
    5200,
    [
      ['zh-phone-w', '129', 60, { 颜色: '白色' }],
      ['zh-phone-b', '119', 35, { 颜色: '黑色' }],
    ],
  ],
  [
    'zh-lamp',
    '护眼台灯',
    '家居',
    ['学习灯', 'eye-care lamp'],
    4.4,
    1740,
    [['zh-lamp-1', '90', 50, { 色温: '暖光' }]],
  ],
];

/** As the fixture has them. */
export function ownProducts(): { products: Record<string, unknown>; coupons: unknown[] } {
  const made = products.map(([product_id, name, category, words, rating, sales, variants]) => [
    product_id,
    {
      product_id,
      name,
      category,
      words,
      rating,
      sales,
      variants: Object.fromEntries(
        variants.map(([item_id, price, stock, options]) => [
          item_id,
          { item_id, options, price, stock, available: stock > 0 },
        ]),
      ),
    },
  ]);
  return {
    products: Object.fromEntries(made),
    coupons: [
      { code: 'WELCOME10', percent: 10 },
      { code: 'TEA20', amount: '20', minimum: '100' },
    ],
  };
}
