/** Waits until `holds(argument)` does in the page; for what a part of the page says of itself, once there is one that does. */
export async function waitUntil(page, holds, argument, timeout) {
  if (String(holds).includes('vernierTest')) await page.waitForFunction(() => window.vernierTest !== undefined, undefined, { timeout });
  return page.waitForFunction(holds, argument, { timeout });
}
