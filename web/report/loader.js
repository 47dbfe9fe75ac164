// Starts the page of a report: its files and its data are in this document, compressed. Nothing is asked of any machine.
(async () => {
  'use strict';
  const nonce = document.currentScript.nonce;
  const inflated = async (element) => {
    const packed = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip')));
  };
  const add = (name, text, type) => {
    const element = document.createElement(name);
    if (type) element.type = type;
    element.nonce = nonce;
    element.textContent = text;
    document.head.append(element);
  };
  try {
    const data = document.getElementById('vernier-report');
    const files = new Map();
    for (const element of document.querySelectorAll('script[data-file]')) {
      files.set(element.dataset.file, await (await inflated(element)).text());
      element.remove();
    }
    globalThis.vernierReport = await (await inflated(data)).arrayBuffer();
    data.remove();

    // the order of style sheets is that of the page: what index.html names comes first
    const index = files.get('index.html');
    const named = (name) => Number(index.includes(name));
    const styles = [...files.keys()].filter((n) => n.endsWith('.css')).sort((a, b) => named(b) - named(a));
    for (const name of styles) add('style', files.get(name));

    // modules name each other by their place; here they have none
    const scripts = [...files.keys()].filter((n) => n.endsWith('.js'));
    const short = (name) => name.slice(name.lastIndexOf('/') + 1);
    const imports = {};
    for (const name of scripts) {
      let text = files.get(name);
      for (const other of scripts)
        for (const quote of ['"', "'", '`'])
          for (const prefix of ['./', './assets/']) text = text.replaceAll(quote + prefix + short(other) + quote, quote + 'page/' + short(other) + quote);
      imports['page/' + short(name)] = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    }
    add('script', JSON.stringify({ imports }), 'importmap');
    await import('page/' + short(scripts.find((name) => index.includes(name))));
  } catch (error) {
    const place = document.getElementById('app');
    const words = document.createElement('p');
    words.setAttribute('role', 'alert');
    words.textContent = `This report cannot be shown: ${error}. It needs a browser of 2023 or later.`;
    place.replaceChildren(words);
  }
})();
