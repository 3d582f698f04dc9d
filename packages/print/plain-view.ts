/** The plain live view: one line an event, and the running text of model calls as it comes. */
import type { JournalEvent, Retry, RunEnd, RunEvent, ToolProgress } from 'steersman/client';
import { progressWords } from 'steersman/run';
import type { TextSink } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import { isTold } from './brief.js';
import { branchLine, eventLines, isToldOfChild, whoseLine } from './event-lines.js';
import { gateHelp } from './gate-help.js';
import { LiveCalls, wholeLines } from './live-calls.js';
import type { ShownTask } from './plan-lines.js';

interface ViewOptions {
  /** With the id of the run it says how gates are answered. */
  runId?: string;
  /** Of a sub-agent: its place below the run. */
  child?: string;
  /** Milliseconds since the epoch. Default: the time of the first event. */
  startedAt?: number | null;
  /** That of the run, for a sub-agent. */
  clock?: LineClock;
  /** Tells the plan and a line a task, in place of every call. */
  brief?: boolean;
}

/** Shows items of a watch on a sink. */
export class PlainView {
  readonly #sink: TextSink;
  readonly #runId: string | null;
  /** In front of each line of a sub-agent; '' for the run itself. */
  readonly #who: string;
  /** Sub-agents that run, by their places. */
  readonly #children = new Map<string, PlainView>();
  #startedAt: number | null;
  readonly #clock: LineClock;
  readonly #brief: boolean;
  readonly #calls: LiveCalls;
  /** Tool calls in flight: whose each is, where that is said, and what was last told of its progress. */
  readonly #tools = new Map<string, { who: string; told: string }>();
  /** Of the plan as it was shown last. */
  #tasks: readonly ShownTask[] = [];
  /** Tasks that have begun and not ended. */
  readonly #atWork = new Set<string>();

  constructor(sink: TextSink, options: ViewOptions = {}) {
    const { runId, child, startedAt = null, clock = new LineClock(), brief = false } = options;
    this.#who = child === undefined ? '' : whoseLine(child, sink.colors);
    this.#sink = child === undefined ? sink : wholeLines(sink, `      ${this.#who}`);
    this.#calls = new LiveCalls(this.#sink, { who: this.#who, isBeside: () => this.#atWork.size > 1 });
    this.#runId = runId ?? null;
    this.#startedAt = startedAt;
    this.#clock = clock;
    this.#brief = brief;
  }

  show(item: RunEvent): void {
    if ('seq' in item) this.#startedAt ??= item.at;
    if (this.#brief && !isTold(item)) return;
    if (item.path === undefined) this.#showOwn(item);
    else this.#showChild(item.path, item);
  }

  #showOwn(item: RunEvent): void {
    const { yellow } = this.#sink.colors;
    if ('seq' in item) this.#showEvent(item);
    if (item.type === 'text') this.#calls.heard(item);
    if (item.type === 'retry') this.#note(yellow(retryLine(item)));
    if (item.type === 'notice') {
      if (this.#who === '') this.#sink.line(yellow(item.text));
      else this.#note(yellow(item.text));
    }
    if (item.type === 'tool_progress') this.#showProgress(item);
  }

  #showChild(child: string, item: RunEvent): void {
    const view =
      this.#children.get(child) ??
      new PlainView(this.#sink, { child, startedAt: this.#startedAt, clock: this.#clock });
    this.#children.set(child, view);
    if (item.type === 'subagent_ended') this.#forget(`${child}/${item.id}`);
    if (!('seq' in item) || isToldOfChild(item)) view.#showOwn(item);
  }

  /** Ends running text. */
  end(): void {
    this.#sink.endText();
  }

  #forget(child: string): void {
    this.#children.get(child)?.end();
    this.#children.delete(child);
  }

  /** A line without a time. */
  #note(text: string): void {
    this.#sink.line(`      ${this.#who}${text}`);
  }

  #showEvent(event: JournalEvent): void {
    this.#startedAt ??= event.at;
    if (event.type === 'subagent_ended') this.#forget(event.id);
    if (event.type === 'model_call_ended') this.#calls.ended(event.callId, event.text ?? '');
    const { colors } = this.#sink;
    const who = `${this.#who}${this.#atWork.size > 1 ? branchLine(event, colors) : ''}`;
    const shown = this.#clock.shown(event);
    for (const line of eventLines(shown, this.#startedAt, colors, this.#tasks, who)) this.#sink.line(line);
    if (event.type === 'plan_updated') this.#tasks = event.tasks;
    if (event.type === 'goal_started') this.#tasks = [];
    if (event.type === 'gate_opened' && this.#runId !== null) {
      for (const line of gateHelp(this.#runId, event.gateId, event.kind)) this.#sink.line(`      ${line}`);
    }
    if (event.type === 'model_call_started') this.#calls.started(event);
    if (event.type === 'model_call_failed') this.#calls.forget(event.callId);
    this.#noteTasks(event);
    if (event.type === 'tool_call_started') this.#tools.set(event.callId, { who, told: '' });
    if (event.type === 'tool_call_ended') this.#tools.delete(event.callId);
  }

  #noteTasks(event: JournalEvent): void {
    if (event.type === 'task_started') this.#atWork.add(event.taskId);
    if (event.type === 'model_call_started' && event.taskId !== null) this.#atWork.add(event.taskId);
    if (event.type === 'task_ended') this.#atWork.delete(event.taskId);
    if (event.type === 'goal_started') this.#atWork.clear();
  }

  /** A line where there is something new to say; figures alone, each tenth of the whole. */
  #showProgress(progress: ToolProgress): void {
    const { message = '', progress: done = 0, total } = progress;
    const tenth = total ? Math.floor((10 * done) / total) : 0;
    const mark = `${message} ${tenth}`;
    const { who, told } = this.#tools.get(progress.callId) ?? { who: this.#who, told: '' };
    if (told === mark) return;
    this.#tools.set(progress.callId, { who, told: mark });
    const words = this.#sink.colors.dim(`tool ${progress.tool} · ${progressWords(progress)}`);
    this.#sink.line(`      ${who}${words}`);
  }
}

/** Shows what happens to the run's end; null where the events were ended before it. */
export async function showEvents(
  events: AsyncIterable<RunEvent>,
  show: (event: RunEvent) => void,
): Promise<RunEnd | null> {
  for await (const event of events) {
    show(event);
    if (event.type === 'end') return event.end;
  }
  return null;
}

/** A call that is made again, and why. */
function retryLine({ activityType, attempt, maximumAttempts, message }: Retry): string {
  const of = maximumAttempts > 0 ? ` of ${maximumAttempts}` : '';
  return `${ACTIVITY_NAMES[activityType] ?? activityType}: attempt ${attempt}${of}, since: ${terminalText(message)}`;
}

const ACTIVITY_NAMES: Record<string, string> = {
  steersmanLoadRun: 'loading',
  steersmanCallModel: 'model call',
  steersmanCallTool: 'tool call',
  steersmanResolveModel: 'choosing a model',
  steersmanStoreText: 'storing text',
  steersmanCompareFile: 'comparing a file',
  steersmanLook: 'looking at files',
};

/**
 * What lines take from those above, for a run and its sub-agents: what is heard late of one of them is not told as
 * earlier, and every receipt has the words of its message.
 */
export class LineClock {
  #lastAt = 0;
  readonly #texts = new Map<string, string>();

  /** The event as its line tells it, with a time that is never before that of the line above. */
  shown<E extends JournalEvent>(event: E): E {
    this.#lastAt = Math.max(this.#lastAt, event.at);
    if (event.type !== 'receipt') return { ...event, at: this.#lastAt };
    const { id, text = this.#texts.get(id) } = event;
    if (text !== undefined) this.#texts.set(id, text);
    return { ...event, at: this.#lastAt, ...(text === undefined ? {} : { text }) };
  }
}
