/** A watcher of one run: it remembers what it has read, and finds new events at each look. */
import { LATE, within } from '../../shared/waits.js';
import { stateQuery } from '../../workflows/run/definitions.js';
import { askRun } from '../connection/ask-run.js';
import { isFinalQueryError, isServerAway } from '../connection/grpc-errors.js';
import type { JournalNews } from '../record/journal-reader.js';
import { JournalReader } from '../record/journal-reader.js';
import { readEnd } from '../record/run-end.js';
import type { RunReader } from '../record/run-reader.js';
import type { RunDescription } from '../record/runs.js';
import { isOpen, mayBeServed } from '../record/runs.js';
import { ChildWatches } from './child-watches.js';
import { inOrder, type NewsRead } from './in-order.js';
import { TextFollower } from './live-text.js';
import { liveTexts, retries, toolProgress } from './pending-calls.js';
import type { RunEvent } from './run-event.js';
import { Patience } from './watch-patience.js';

/** If an ended run's events can't be read for this long, only its result is reported. */
const GIVE_UP_MS = 15_000;

export class RunWatch {
  /** The end was yielded. */
  finished = false;
  readonly #reader: RunReader;
  readonly #live: boolean;
  readonly #journal: JournalReader;
  readonly #texts = new TextFollower();
  readonly #patience: Patience;
  /** Null if sub-agents are not watched. */
  readonly #children: ChildWatches | null;
  /** True while sub-agents that began before the first wanted event must still be found. */
  #joinsLate: boolean;
  /** Segment, length and status of the run at the last successful read. */
  #read = '';
  /** The time when the run was first seen as ended, and if its events are permanently unreadable. */
  #endSeenAt: number | null = null;
  #neverTold = false;
  /** The mark at which the store was read, and if it had any events. */
  #keptRead = '';
  #toldKept = false;
  /** The mark at which a read was postponed; null after a look that read. */
  #postponed: string | null = null;
  readonly #toldRetries = new Map<string, number>();

  constructor(
    reader: RunReader,
    { since, live, children }: { since: number; live: boolean; children: boolean },
  ) {
    this.#reader = reader;
    this.#live = live;
    this.#patience = new Patience(reader.temporal);
    this.#journal = new JournalReader(
      (runId, after) => reader.events(runId, after),
      since,
      after => reader.keptEvents(after),
    );
    const begin = (childId: string) => new RunWatch(reader.of(childId), { since: 0, live, children });
    this.#children = children ? new ChildWatches(reader.id, begin) : null;
    this.#joinsLate = children && since > 0;
  }

  /** True if the last look postponed its read until a worker has processed recent events. */
  get isPutOff(): boolean {
    return this.#postponed !== null;
  }

  /** Yields a notice about a long wait, once. */
  impatience(): Generator<RunEvent> {
    return this.#patience.over();
  }

  /** Describes the run; null while the server is away. */
  async look(maxAgeMs = 0): Promise<RunDescription | null> {
    try {
      const run = await this.#reader.look(maxAgeMs);
      this.#patience.serverIsBack();
      return run;
    } catch (error) {
      if (!isServerAway(error)) throw error;
      this.#patience.failed('server');
      return null;
    }
  }

  /** Yields new events, up to the run's end. */
  async *news(run: RunDescription): AsyncGenerator<RunEvent> {
    const read: NewsRead = { own: [], children: [] };
    yield* this.#readNews(run, read);
    try {
      if (isOpen(run)) await this.#lookAtWork(run, read);
    } finally {
      // Events that were read are yielded once, even if the server fails meanwhile.
      yield* inOrder(read);
    }
    if (!isOpen(run) && (markOf(run) === this.#read || (await this.#givesUp(run)))) yield* this.#end(run);
    if (this.#patience.isBehind && !this.finished) yield* this.impatience();
  }

  /** Yields new events of its journal. */
  async *told(run: RunDescription): AsyncGenerator<RunEvent> {
    const read: NewsRead = { own: [], children: [] };
    yield* this.#readNews(run, read);
    yield* inOrder(read);
  }

  /**
   * Reads only if the history has grown, because a query is expensive and a description is not. Yields notices about
   * the read itself.
   */
  async *#readNews(run: RunDescription, read: NewsRead): AsyncGenerator<RunEvent> {
    const mark = markOf(run);
    if (mark === this.#read) return;
    if ((await this.#asksStoreFirst(run)) && (await this.#readKept(run, read))) return;
    if (this.#postpones(run, mark)) {
      this.#patience.failed('worker');
      yield* this.#patience.stuck(run);
      return;
    }
    const reading = this.#readJournal(run);
    const settled = reading.catch(() => null);
    if ((await within(this.#patience.left, settled, LATE)) === LATE) yield* this.impatience();
    const news = await reading;
    if (news === null) {
      await this.#readKept(run, read);
      return;
    }
    this.#read = mark;
    await this.#sort(news, read);
  }

  /** An ended run, or one without a worker, is read from the store first: a query would only wait. */
  async #asksStoreFirst(run: RunDescription): Promise<boolean> {
    if (this.#patience.left <= 0) return true;
    if (this.#read !== '') return false;
    return !isOpen(run) || !(await mayBeServed(this.#reader.temporal, run.taskQueue));
  }

  /** Reads the store once for each mark. Returns true if no worker must be queried at this look. */
  async #readKept(run: RunDescription, read: NewsRead): Promise<boolean> {
    const mark = markOf(run);
    if (this.#keptRead === mark) return false;
    this.#keptRead = mark;
    const { isWhole, ...news } = await this.#journal.readKept();
    await this.#sort(news, read);
    this.#toldKept ||= news.events.length > 0;
    if (isWhole) this.#read = mark;
    return isWhole || (isOpen(run) && news.events.length > 0);
  }

  /**
   * Returns true while a workflow task is pending: a query would only wait, and its result would be outdated. It does
   * not return true twice in a row while the history grows.
   */
  #postpones({ raw }: RunDescription, mark: string): boolean {
    const waits = raw.pendingWorkflowTask != null && (this.#postponed ?? mark) === mark;
    this.#postponed = waits ? mark : null;
    return waits;
  }

  async #readJournal(run: RunDescription): Promise<JournalNews | null> {
    this.#patience.begins();
    try {
      // A query of an ended run without a worker would only wait.
      if (!isOpen(run) && !(await mayBeServed(this.#reader.temporal, run.taskQueue))) return null;
      if (this.#joinsLate) await this.#joinChildren();
      const news = await this.#journal.read(run.runId);
      this.#patience.recovered();
      return news;
    } catch (error) {
      const final = isFinalQueryError(error);
      if (final && !isOpen(run)) this.#neverTold = true;
      // A deadline means here that no worker answered.
      this.#patience.failed(final ? 'refusal' : 'worker');
      return null;
    }
  }

  /** Finds running sub-agents, which no later event names. */
  async #joinChildren(): Promise<void> {
    const { temporal, id } = this.#reader;
    const { children } = await askRun(temporal, { id }, stateQuery);
    this.#joinsLate = false;
    for (const child of children) if (child.outcome === null) this.#children?.begin(child.id, child.agent);
  }

  async #givesUp(run: RunDescription): Promise<boolean> {
    // Counted from the first look at the end, because a worker that was away may return.
    this.#endSeenAt ??= Date.now();
    return (
      this.#neverTold ||
      Date.now() - this.#endSeenAt > GIVE_UP_MS ||
      !(await mayBeServed(this.#reader.temporal, run.taskQueue))
    );
  }

  /** Collects events of calls in flight and of sub-agents. */
  async #lookAtWork(run: RunDescription, { own, children }: NewsRead): Promise<void> {
    for await (const event of this.#activities(run)) own.push(event);
    if (this.#children) children.push(...(await this.#children.news()));
  }

  async *#activities(run: RunDescription): AsyncGenerator<RunEvent> {
    if (!this.#live) return;
    for (const retry of retries(run)) {
      if (this.#toldRetries.get(retry.activityId) === retry.attempt) continue;
      this.#toldRetries.set(retry.activityId, retry.attempt);
      yield { type: 'retry', ...retry };
    }
    for (const live of await liveTexts(this.#reader.temporal, run)) {
      const delta = this.#texts.heard(live);
      if (delta !== null) yield { type: 'text', ...delta };
    }
    for (const progress of await toolProgress(this.#reader.temporal, run))
      yield { type: 'tool_progress', ...progress };
  }

  async *#end(run: RunDescription): AsyncGenerator<RunEvent> {
    if (this.#patience.isBehind) {
      const text = this.#toldKept
        ? 'No worker tells the last events of this run. Shown is what the store has of them.'
        : 'No worker can report the events of this run. Those that its result keeps:';
      yield { type: 'notice', text };
    }
    yield { type: 'end', end: await readEnd(this.#reader.temporal, run) };
    this.finished = true;
  }

  async #sort({ events, lost }: JournalNews, { own, children }: NewsRead): Promise<void> {
    if (lost > 0) own.push({ type: 'notice', text: `${lost} events are no longer kept and left out.` });
    this.#children?.leaveOld(events);
    for (const event of events) {
      const rest = this.#live ? this.#texts.followed(event) : [];
      for (const delta of rest) own.push({ type: 'text', ...delta });
      if (event.type === 'subagent_ended' && this.#children)
        children.push({ id: event.id, events: await this.#children.finish(event.id) });
      own.push(event);
      if (event.type === 'subagent_started') this.#children?.begin(event.id, event.role);
    }
  }
}

function markOf({ runId, historyLength, status }: RunDescription): string {
  return `${runId} ${historyLength} ${status.name}`;
}
