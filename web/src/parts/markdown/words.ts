import { words } from '../../base/words.ts';

export const t = words(
  {
    image: (alt: string) => (alt === '' ? 'Image' : `Image: ${alt}`),
    noImage: 'not shown',
    table: 'Table',
    loadImage: 'Load image',
    loadsNothing: 'This page loads nothing from other sites.',
    openAt: (host: string) => `Open it at ${host}, in a new tab`,
  },
  {
    image: (alt) => (alt === '' ? '图片' : `图片：${alt}`),
    noImage: '不显示',
    table: '表格',
    loadImage: '加载图片',
    loadsNothing: '本页面不从其他网站加载任何内容。',
    openAt: (host) => `在新标签页中打开 ${host}`,
  },
);
