import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The page of the gateway. `vite --config web/vite.config.ts` serves it while you change it, over a gateway at port 7420. */
export default defineConfig({
  plugins: [{ name: 'layers-first', transformIndexHtml: { order: 'post', handler: layersFirst } }],
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  // Under a prefix, files find each other; the gateway tells the page itself where they are.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows no data: URLs for scripts, styles and fonts.
    assetsInlineLimit: 0,
    // Its loader of older browsers is an inline script.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      '/api': 'http://127.0.0.1:7420',
      '/ws': { target: 'ws://127.0.0.1:7420', ws: true },
    },
  },
});

/**
 * The styles of all pages name the layers in their order, so they stand before those of parts: Vite puts the stylesheets of shared
 * chunks first, by which the styles of elements would win over those of buttons.
 */
function layersFirst(html: string): string {
  const [first, ...others] = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
  const own = others.find((link) => link.includes('/index-'));
  return first === undefined || own === undefined
    ? html
    : html.replace(own, '').replace(first, `${own}\n    ${first}`);
}
