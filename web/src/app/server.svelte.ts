import { Connection, Refused, type State } from '../protocol/connection';
import { ReportConnection, reportData } from '../report/connection';
import { protocolVersion, type Hello, type Problem } from '../protocol/messages';

/** To the server that this page came from; a report answers itself. */
function made(): Connection {
  const data = reportData();
  if (data) return new ReportConnection(data);
  return new Connection(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`, undefined, async () => {
    try {
      return (await fetch('./', { method: 'HEAD', cache: 'no-store' })).status !== 403;
    } catch {
      return true; // nobody answers: that is another matter
    }
  });
}

/** The server as the page sees it: connected or not, and who it is. */
class Server {
  state = $state<State>('connecting');
  hello = $state.raw<Hello>();
  problems = $state.raw<Problem[]>();
  /** Runs that this page has started: they are replayed when they are opened. */
  readonly started = new Set<string>();
  readonly connection = made();

  constructor() {
    this.connection.listen({
      state: (state) => {
        this.state = state;
        if (state === 'open') void this.#greet();
      },
    });
    this.connection.open();
  }

  get controls(): boolean {
    return this.hello?.role === 'control';
  }

  get tooNew(): boolean {
    return this.hello !== undefined && this.hello.protocol !== protocolVersion;
  }

  async #greet(): Promise<void> {
    try {
      this.hello = await this.connection.request<Hello>('hello');
    } catch (error) {
      if (error instanceof Refused) this.problems = error.problems;
    }
  }
}

export const server = new Server();
