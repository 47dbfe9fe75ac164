import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// `npm run dev` serves the sources; the protocol comes from `npm run mock` or from a real server.
const server = process.env.VERNIER_SERVER ?? 'http://127.0.0.1:7411';

export default defineConfig({
  plugins: [svelte()],
  base: './',
  build: {
    target: 'es2022',
    outDir: process.env.VERNIER_DIST ?? 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content security policy allows no data: scripts and fonts
    // a report starts these files without a server: a chunk then cannot ask for others by their place
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  // tests of the editor read the documents of the tree
  server: { fs: { allow: ['.', '../missions', '../examples'] }, proxy: { '/ws': { target: server, ws: true }, '/file': server } },
  test: { include: ['src/**/*.test.ts'] },
});
