// The keyboard of the 3D view, while it has the focus.
import type { View } from './view';

const turn = 0.12; // rad
const zoom = 1.15;
const step = 0.06; // of the height of the picture

/** True: the key was one. */
export function keyed(e: KeyboardEvent, view: View, names: string[], toggle: { labels: () => void; axes: () => void }): boolean {
  if (e.ctrlKey || e.metaKey || e.altKey) return false;
  const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const way = arrows[e.key];
  if (way) {
    if (e.shiftKey) view.pan(-step * way[0], -step * way[1]);
    else view.turn(-turn * way[0], turn * way[1]);
    return true;
  }
  const next = (by: number) => {
    const at = names.indexOf(view.target);
    view.lookAt(names[(at + by + names.length) % names.length]);
  };
  switch (e.key) {
    case '+':
    case '=':
      view.zoom(1 / zoom);
      return true;
    case '-':
      view.zoom(zoom);
      return true;
    case 'Home':
      view.home();
      return true;
    case 'n':
      next(1);
      return true;
    case 'N':
      next(-1);
      return true;
    case 'l':
      toggle.labels();
      return true;
    case 'x':
      toggle.axes();
      return true;
    case 'f':
      view.ride(!view.riding);
      return true;
  }
  return false;
}
