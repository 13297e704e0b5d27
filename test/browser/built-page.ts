import { buildPage } from '../../scripts/build/page.ts';
import { chromiumPath } from './chromium.ts';

/** Builds the page that the browser opens, as it is published, and unpacks Chromium: once for all workers. */
export default async function setup(): Promise<void> {
  await chromiumPath();
  await buildPage();
}
