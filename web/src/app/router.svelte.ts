import { parseRoute, type Route } from '../layout/layout';

/** The view that the address names; back and forward change it. */
class Router {
  route = $state.raw<Route>(parseRoute(location.hash));

  constructor() {
    const read = () => (this.route = parseRoute(location.hash));
    addEventListener('popstate', read);
    addEventListener('hashchange', read);
  }

  go(address: string): void {
    history.pushState(null, '', address);
    this.route = parseRoute(address);
  }

  replace(address: string): void {
    history.replaceState(null, '', address);
    this.route = parseRoute(address);
  }

  /** Writes the address of a view that is shown already. */
  write(address: string, how: 'push' | 'replace'): void {
    if (address === location.hash) return;
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    this.route = parseRoute(address);
  }
}

export const router = new Router();
