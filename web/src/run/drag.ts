import { parseRef, refText, type SignalRef } from '../layout/layout';

const type = 'application/x-vernier-signals';

export function drag(event: DragEvent, refs: SignalRef[]): void {
  event.dataTransfer?.setData(type, refs.map(refText).join(','));
  event.dataTransfer?.setData('text/plain', refs.map(refText).join(' '));
  if (event.dataTransfer) event.dataTransfer.effectAllowed = 'copy';
}

/** Makes an element take dragged signals; it has the attribute data-over while they are above it. */
export function drop(node: HTMLElement, take: (refs: SignalRef[]) => void) {
  let depth = 0;
  const carries = (e: DragEvent) => e.dataTransfer?.types.includes(type) ?? false;
  const show = () => node.toggleAttribute('data-over', depth > 0);
  const enter = (e: DragEvent) => {
    if (!carries(e)) return;
    e.preventDefault();
    ++depth;
    show();
  };
  const over = (e: DragEvent) => {
    if (carries(e)) e.preventDefault();
  };
  const leave = (e: DragEvent) => {
    if (!carries(e)) return;
    --depth;
    show();
  };
  const dropped = (e: DragEvent) => {
    if (!carries(e)) return;
    e.preventDefault();
    e.stopPropagation();
    depth = 0;
    show();
    const refs = (e.dataTransfer?.getData(type) ?? '').split(',').map(parseRef);
    take(refs.filter((ref) => ref !== undefined));
  };
  node.addEventListener('dragenter', enter);
  node.addEventListener('dragover', over);
  node.addEventListener('dragleave', leave);
  node.addEventListener('drop', dropped);
  return {
    update(next: (refs: SignalRef[]) => void) {
      take = next;
    },
    destroy() {
      node.removeEventListener('dragenter', enter);
      node.removeEventListener('dragover', over);
      node.removeEventListener('dragleave', leave);
      node.removeEventListener('drop', dropped);
    },
  };
}
