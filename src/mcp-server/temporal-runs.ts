/** The runs of a Temporal server, connected to when the first tool is called. */
import {
  connect,
  type GateReply,
  type ListedRun,
  type SteersmanClient,
  SteersmanError,
} from '../client/index.js';
import { REHEARSAL_NOTE } from '../client/runs/default-model.js';
import type { Report } from '../stack/temporal-binary.js';
import type { RunsApi } from './runs-api.js';

export interface TemporalRunsOptions {
  /** Folder of the configuration for a local worker; left out, the project's. */
  configDir?: string;
  /** Gets lines of progress: fetching, starting, waiting. */
  report: Report;
}

export function temporalRuns({ configDir, report }: TemporalRunsOptions): RunsApi {
  let rehearses = false;
  const connection = new KeptConnection(line => {
    rehearses ||= line === REHEARSAL_NOTE;
    report(line);
  });
  const use = connection.use.bind(connection);
  const useRun = (id: string) => use(client => client.attach(id));
  return {
    start: (goal, wishes) =>
      use(async client => {
        const { id, webUi } = await client.start(goal, { ...wishes, ...(configDir ? { configDir } : {}) });
        return { id, webUi, notes: rehearses ? [REHEARSAL_NOTE] : [] };
      }),
    watch: async function* (id, watching) {
      yield* (await useRun(id)).events({ ...watching, live: false });
    },
    look: async id => (await useRun(id)).show(),
    say: async (id, { text, when, to, followUp }) => {
      const run = await useRun(id);
      return followUp ? run.followUp(text) : run.steer(text, { when, ...(to === undefined ? {} : { to }) });
    },
    // The run judges what a model has put together.
    answerGate: async (id, { gateId, ...answer }) =>
      (await useRun(id)).answerGate(String(gateId), answer as GateReply),
    submitToolResult: async (id, { gateId, ...result }) =>
      (await useRun(id)).submitToolResult({ content: undefined, ...result, gateId: String(gateId) }),
    stop: async (id, reason) => void (await (await useRun(id)).stop(reason)),
    list: wanted => use(client => listed(client.list(wanted))),
  };
}

/** One connection for all calls, opened by the first; opened anew where the server has gone away. */
class KeptConnection {
  private readonly report: Report;
  private opening: Promise<SteersmanClient> | null = null;

  constructor(report: Report) {
    this.report = report;
  }

  async use<T>(work: (client: SteersmanClient) => Promise<T>): Promise<T> {
    this.opening ??= connect({ report: this.report });
    const { opening } = this;
    try {
      return await work(await opening);
    } catch (error) {
      const away = error instanceof SteersmanError && ['unreachable', 'uncertain'].includes(error.code);
      const unusable = away || (await isRejected(opening));
      // Not closed: calls may be under way in it, and the SDK would try them again.
      if (unusable && this.opening === opening) this.opening = null;
      throw error;
    }
  }
}

function isRejected(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => true,
  );
}

async function listed(runs: AsyncIterable<ListedRun>): Promise<ListedRun[]> {
  const all: ListedRun[] = [];
  for await (const run of runs) all.push(run);
  return all;
}
