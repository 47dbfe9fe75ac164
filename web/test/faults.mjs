/** Adds the errors of a page to a list. That a size changed while sizes were observed is a remark of the browser, not an error: it observes it in its next picture. */
export function watchFaults(page, faults) {
  page.on('pageerror', (e) => {
    if (!e.message.startsWith('ResizeObserver loop')) faults.push(e.stack || e.message || String(e));
  });
}
