/** The plain live view: one line for each event, and the text of model calls as it streams. */
import { childProgress, newProgress, type RunProgress, take } from '@steersman/view';
import type { JournalEvent, Retry, RunEnd, RunEvent, ToolProgress } from 'steersman/client';
import { progressWords } from 'steersman/run';
import type { TextSink } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import { isPrinted } from './brief.js';
import { branchLine, eventLines, isPrintedOfChild, whoseLine } from './event-lines.js';
import { gateHelp } from './gate-help.js';
import { LiveCalls, wholeLines } from './live-calls.js';

interface ViewOptions {
  /** Id of the run: if set, the view prints the commands that answer gates. */
  runId?: string;
  /** Milliseconds since the epoch. Default: the time of the first event. */
  startedAt?: number | null;
  /** Prints the plan and a line for each task instead of every call. */
  brief?: boolean;
}

/** Prints the events of a run on a sink. */
export class PlainView {
  readonly #sink: TextSink;
  readonly #runId: string | null;
  readonly #brief: boolean;
  readonly #clock = new LineClock();
  readonly #progress = newProgress('');
  /** Printers by the path of each sub-agent; the run's own path is empty. */
  readonly #agents = new Map<string, AgentLines>();

  constructor(sink: TextSink, { runId, startedAt = null, brief = false }: ViewOptions = {}) {
    this.#sink = sink;
    this.#runId = runId ?? null;
    this.#brief = brief;
    this.#progress.startedAt = startedAt;
  }

  show(item: RunEvent): void {
    if ('seq' in item) this.#progress.startedAt ??= item.at;
    if (!this.#brief || isPrinted(item)) this.#tell(item);
    take(this.#progress, item);
  }

  /** Ends text that is being streamed. */
  end(): void {
    this.#sink.endText();
  }

  #tell(item: RunEvent): void {
    const { path = '' } = item;
    if (item.type === 'subagent_ended') this.#forget(path === '' ? item.id : `${path}/${item.id}`);
    const own = path === '' ? this.#progress : childProgress(this.#progress, path);
    const agent = this.#agents.get(path) ?? new AgentLines(this.#sink, path, own);
    this.#agents.set(path, agent);
    if (!('seq' in item)) agent.showLive(item);
    else if (path === '' || isPrintedOfChild(item)) agent.showEvent(this.#clock.shown(item));
    if (item.type !== 'gate_opened' || path !== '' || this.#runId === null) return;
    const gate = { ...item, several: item.changes !== undefined };
    for (const line of gateHelp(this.#runId, gate)) this.#sink.line(`      ${line}`);
  }

  #forget(child: string): void {
    this.#agents.get(child)?.end();
    this.#agents.delete(child);
  }
}

/** Prints the events of the run, or of one of its sub-agents. */
class AgentLines {
  readonly #sink: TextSink;
  /** Prefix of a sub-agent's lines; '' for the run itself. */
  readonly #who: string;
  /** The state before the printed event. */
  readonly #progress: RunProgress;
  readonly #calls: LiveCalls;
  /** The last printed progress of each tool call. */
  readonly #printed = new Map<string, string>();

  constructor(sink: TextSink, path: string, progress: RunProgress) {
    this.#who = path === '' ? '' : whoseLine(path, sink.colors);
    this.#sink = path === '' ? sink : wholeLines(sink, `      ${this.#who}`);
    this.#progress = progress;
    this.#calls = new LiveCalls(this.#sink, { who: this.#who, isBeside: () => this.#isBeside });
  }

  get #isBeside(): boolean {
    return this.#progress.atWork.size > 1;
  }

  showLive(item: Exclude<RunEvent, { seq: number }>): void {
    const { yellow } = this.#sink.colors;
    if (item.type === 'text') this.#calls.heard(item);
    if (item.type === 'retry') this.#note(yellow(retryLine(item)));
    if (item.type === 'tool_progress') this.#showProgress(item);
    if (item.type !== 'notice') return;
    if (this.#who === '') this.#sink.line(yellow(item.text));
    else this.#note(yellow(item.text));
  }

  showEvent(event: JournalEvent): void {
    const { tasks, startedAt } = this.#progress;
    const { colors } = this.#sink;
    if (event.type === 'model_call_ended') this.#calls.ended(event.callId, event.text ?? '');
    const who = `${this.#who}${this.#isBeside ? branchLine(event, colors) : ''}`;
    for (const line of eventLines(event, startedAt ?? event.at, colors, tasks, who)) this.#sink.line(line);
    if (event.type === 'model_call_started') this.#calls.started(event);
    if (event.type === 'model_call_failed') this.#calls.forget(event.callId);
    if (event.type === 'tool_call_ended') this.#printed.delete(event.callId);
  }

  end(): void {
    this.#sink.endText();
  }

  /** Prints a line without a time. */
  #note(text: string): void {
    this.#sink.line(`      ${this.#who}${text}`);
  }

  /** Prints progress if its message is new; without a message, at each tenth of the total. */
  #showProgress(progress: ToolProgress): void {
    const { callId, tool, message = '', progress: done = 0, total } = progress;
    const tenth = total ? Math.floor((10 * done) / total) : 0;
    const mark = `${message} ${tenth}`;
    if (this.#printed.get(callId) === mark) return;
    this.#printed.set(callId, mark);
    const { colors } = this.#sink;
    const { taskId = null } = this.#progress.tools.get(callId) ?? {};
    const task = taskId !== null && this.#isBeside ? whoseLine(taskId, colors) : '';
    this.#note(`${task}${colors.dim(`tool ${tool} · ${progressWords(progress)}`)}`);
  }
}

/** Prints events until the run's end; null if the events ended before it. */
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

/** Describes a repeated call, and why it was repeated. */
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
 * The memory of earlier lines, for a run and its sub-agents: times never decrease, even for events that arrive late,
 * and every receipt includes its message's text.
 */
export class LineClock {
  #lastAt = 0;
  readonly #texts = new Map<string, string>();

  /** Returns the event to print, with a time not before the previous line's. */
  shown<E extends JournalEvent>(event: E): E {
    this.#lastAt = Math.max(this.#lastAt, event.at);
    if (event.type !== 'receipt') return { ...event, at: this.#lastAt };
    const { id, text = this.#texts.get(id) } = event;
    if (text !== undefined) this.#texts.set(id, text);
    return { ...event, at: this.#lastAt, ...(text === undefined ? {} : { text }) };
  }
}
