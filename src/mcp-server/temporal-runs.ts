/** The runs of a Temporal server, connected to when the first tool is called. */
import { connect, type Temporal, webUiLink } from '../client/runs/connect.js';
import { REHEARSAL_NOTE } from '../client/runs/default-model.js';
import { isServerAway } from '../client/runs/grpc-errors.js';
import { ALL_RUNS, describeRun } from '../client/runs/runs.js';
import { answerGate, newMessageId, sendMessage, submitToolResult } from '../client/runs/send.js';
import { startRequest, startRun, taskQueueFor, withDefaultModel } from '../client/runs/start-run.js';
import { stopRun } from '../client/runs/stop-run.js';
import { watchRun } from '../client/runs/watch-run.js';
import { type ListedRun, listedRun } from '../client/verbs/list.js';
import { readRun } from '../print/show-run.js';
import type { Report } from '../stack/temporal-binary.js';
import type { RunsApi, SaidToRun, StartWishes } from './runs-api.js';

export interface TemporalRunsOptions {
  /** Folder of the configuration for a local worker; left out, the project's. */
  configDir?: string;
  /** Gets lines of progress: fetching, starting, waiting. */
  report: Report;
}

export function temporalRuns(options: TemporalRunsOptions): RunsApi {
  const connection = new KeptConnection(options.report);
  const use = connection.use.bind(connection);
  return {
    start: (goal, wishes) => use(temporal => start(temporal, goal, wishes, options)),
    watch: async function* (id, watching) {
      yield* watchRun(await use(async temporal => temporal), id, watching);
    },
    look: id =>
      use(async temporal => {
        const { shown, end } = await readRun(temporal, await describeRun(temporal, id));
        return { ...shown, failure: end?.failure?.message ?? null };
      }),
    say: (id, said) => use(temporal => sendMessage(temporal, id, messageOf(said))),
    answerGate: (id, answer) => use(async temporal => void (await answerGate(temporal, id, answer))),
    submitToolResult: (id, result) =>
      use(async temporal => void (await submitToolResult(temporal, id, result))),
    stop: (id, reason) => use(temporal => stopRun(temporal, id, reason)),
    list: wanted => use(temporal => list(temporal, wanted)),
  };
}

/** One connection for all calls, opened by the first; opened anew where the server has gone away. */
class KeptConnection {
  private readonly report: Report;
  private opening: Promise<Temporal> | null = null;

  constructor(report: Report) {
    this.report = report;
  }

  async use<T>(work: (temporal: Temporal) => Promise<T>): Promise<T> {
    this.opening ??= connect(this.report);
    const { opening } = this;
    try {
      return await work(await opening);
    } catch (error) {
      const unusable = isServerAway(error) || (await isRejected(opening));
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

async function start(
  temporal: Temporal,
  goal: string,
  { autoApprove, keepOpenSeconds, limits, ...wishes }: StartWishes,
  { configDir, report }: TemporalRunsOptions,
) {
  const given = {
    mode: 'team' as const,
    ...wishes,
    yes: autoApprove,
    ...(keepOpenSeconds === undefined ? {} : { keepOpen: keepOpenSeconds }),
    ...(limits === undefined ? {} : { limit: { ...limits } }),
    ...(configDir === undefined ? {} : { config: configDir }),
  };
  const chosen = withDefaultModel(given);
  const request = await startRequest(goal, chosen);
  const { id } = await startRun(temporal, request, await taskQueueFor(temporal, request, report));
  return { id, webUi: webUiLink(temporal, id), notes: chosen === given ? [] : [REHEARSAL_NOTE] };
}

function messageOf({ text, when, to, followUp }: SaidToRun) {
  const id = newMessageId();
  if (followUp) return { kind: 'follow-up' as const, input: { id, text } };
  return { kind: 'steer' as const, input: { id, text, when, ...(to === undefined ? {} : { to }) } };
}

async function list(
  { client }: Temporal,
  { open, waiting, limit }: { open: boolean; waiting: boolean; limit: number },
): Promise<ListedRun[]> {
  const query = [
    ALL_RUNS,
    ...(open || waiting ? ["ExecutionStatus = 'Running'"] : []),
    ...(waiting ? ['AgentWaiting IS NOT NULL'] : []),
  ].join(' AND ');
  const runs: ListedRun[] = [];
  for await (const info of client.workflow.list({ query, pageSize: limit })) {
    runs.push(listedRun(info));
    if (runs.length >= limit) break;
  }
  return runs;
}
