import { words } from '../../base/words.ts';

export const t = words({
  image: [
    (alt: string) => (alt === '' ? 'Image' : `Image: ${alt}`),
    (alt) => (alt === '' ? '图片' : `图片：${alt}`),
  ],
  noImage: ['not shown', '不显示'],
  table: ['Table', '表格'],
  loadImage: ['Load image', '加载图片'],
  loadsNothing: ['This page loads nothing from other sites.', '本页面不从其他网站加载任何内容。'],
  openAt: [(host: string) => `Open it at ${host}, in a new tab`, (host) => `在新标签页中打开 ${host}`],
});
