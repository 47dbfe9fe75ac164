// Svelte strips types by itself; editors and svelte-check look for this file.
export default {
  // class names must not depend on the folder in which the page is built
  compilerOptions: { cssHash: ({ hash, css }) => `svelte-${hash(css)}` },
};
