// That a size changed while sizes were observed is a remark of the browser, not an error: it observes it in its next picture. And a page that a test
// leaves stops loading its parts; where a part is missing in a page that stays, a test waits for it in vain.
const remark = (text) => text.includes('ResizeObserver loop') || text.includes('dynamically imported module');

/** Adds the errors of a page to a list; with `console`, also what is written to its console as an error. */
export function watchFaults(page, faults, { console = false } = {}) {
  page.on('pageerror', (e) => {
    if (!remark(e.message)) faults.push(e.stack || e.message || String(e));
  });
  if (console) page.on('console', (m) => m.type() === 'error' && !remark(m.text()) && faults.push(m.text()));
}
