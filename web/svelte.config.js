// Svelte strips types by itself; editors and svelte-check look for this file.
export default {};
