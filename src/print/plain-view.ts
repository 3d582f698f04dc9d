/**
 * The plain live view: one line an event, and the running text of model calls as it comes. Of a reply that is
 * JSON the words that are meant for people, when it has ended.
 */

import type { LiveChannel, TextDelta } from '../client/runs/live-text.js';
import type { Retry } from '../client/runs/pending-calls.js';
import type { RunEnd } from '../client/runs/run-end.js';
import type { RunEvent } from '../client/runs/watch-run.js';
import type { ToolProgress } from '../core/heartbeats.js';
import type { JournalEvent, ReplyForm } from '../core/journal.js';
import { eventLines } from './event-lines.js';
import { formatCount } from './format.js';
import { gateHelp } from './gate-help.js';
import { completeLive, followLive, joined, type LiveDelta, type LiveProgress } from './live-deltas.js';
import type { TextSink } from './output.js';
import type { ShownTask } from './plan-lines.js';
import { progressWords } from './progress-words.js';
import { isJson, jsonStart, mayBecomeJson, spokenText } from './reply-text.js';
import { terminalText } from './terminal-text.js';

/** A model call in flight, as far as it was shown. */
interface CallView {
  progress: LiveProgress | null;
  /** The text of its reply, as far as nothing of it is missing. */
  heard: TextDelta | null;
  form: ReplyForm;
  /** Its text is JSON: the words in it are told when it has ended. */
  quiet: boolean;
  /** Its beginning was not seen. */
  late: boolean;
}

/** Shows items of a watch on a sink. */
export class PlainView {
  readonly #sink: TextSink;
  readonly #runId: string | null;
  /** Milliseconds since the epoch, of the run's first event. */
  #startedAt: number | null = null;
  /** Model calls that have started and not ended, by id. */
  readonly #running = new Map<string, CallView>();
  /** What was last told of the progress of each tool call. */
  readonly #toldProgress = new Map<string, string>();
  /** Of the plan as it was shown last. */
  #tasks: readonly ShownTask[] = [];
  #channel: LiveChannel = 'text';

  /** With the id of the run it says how gates are answered. */
  constructor(sink: TextSink, runId: string | null = null) {
    this.#sink = sink;
    this.#runId = runId;
  }

  show(item: RunEvent): void {
    const { line, colors } = this.#sink;
    if (item.type === 'journal') this.#showEvent(item.event);
    if (item.type === 'text') this.#showText(item);
    if (item.type === 'retry') line(colors.yellow(`      ${retryLine(item.retry)}`));
    if (item.type === 'notice') line(colors.yellow(item.text));
    if (item.type === 'progress') this.#showProgress(item.progress);
  }

  #showEvent(event: JournalEvent): void {
    this.#startedAt ??= event.at;
    if (event.type === 'model_call_ended') {
      this.#showReply(event.callId, event.text ?? '');
    }
    for (const line of eventLines(event, this.#startedAt, this.#sink.colors, this.#tasks))
      this.#sink.line(line);
    if (event.type === 'plan_updated') this.#tasks = event.tasks;
    if (event.type === 'goal_started') this.#tasks = [];
    if (event.type === 'gate_opened' && this.#runId !== null) {
      for (const line of gateHelp(this.#runId, event.gateId, event.kind)) this.#sink.line(`      ${line}`);
    }
    if (event.type === 'model_call_started') {
      this.#running.set(event.callId, {
        progress: null,
        heard: null,
        form: event.form,
        quiet: false,
        late: false,
      });
    }
    if (event.type === 'tool_call_ended') this.#toldProgress.delete(event.callId);
  }

  #showText(delta: TextDelta): void {
    const call = this.#running.get(delta.callId);
    if (call === undefined) return;
    const isText = delta.channel === 'text';
    const live = isText ? joined(call.heard, delta) : delta;
    if (isText) call.heard = live;
    // Of JSON that began before this watch nothing can be told apart: its words come when it has ended.
    if (isText && call.form === 'json' && call.progress === null && live.offset > 0) call.late = true;
    if (call.late) call.quiet = true;
    if (isText && live.offset === 0 && !call.quiet) {
      // Its first characters can be a fence, with JSON or words to follow.
      if (mayBecomeJson(live.text)) return;
      call.quiet = isJson(live.text);
    }
    const before = isText && call.form === 'json' && !call.quiet ? wordsBefore(live) : live;
    const followed = followLive(call.progress, before);
    call.progress = followed.progress;
    this.#print(
      isText && call.quiet ? followed.deltas.filter(delta => delta.type === 'reset') : followed.deltas,
    );
    if (before !== live && jsonStart(live.text) >= 0) call.quiet = true;
  }

  #showReply(callId: string, reply: string): void {
    const { progress, form, quiet, late } = this.#running.get(callId) ?? {
      progress: null,
      form: 'words',
      quiet: false,
      late: false,
    };
    const unseen = progress?.shown.text === undefined;
    const json = form === 'json' ? jsonStart(reply) : -1;
    if (!unseen && json > 0 && !late) {
      // What stands before the JSON was told as it came.
      this.#print(completeLive(progress, reply.slice(0, json).trimEnd()));
      this.#tell(spokenText(reply.slice(json), form));
    } else if (quiet || json > 0 || (unseen && isJson(reply))) this.#tell(spokenText(reply, form));
    else this.#print(completeLive(progress, reply));
    this.#running.delete(callId);
  }

  #tell(words: string | null): void {
    this.#sink.endText();
    this.#sink.text(terminalText(words ?? ''));
  }

  /** A line where there is something new to say; figures alone, each tenth of the whole. */
  #showProgress(progress: ToolProgress): void {
    const { message = '', total } = progress;
    const tenth = total ? Math.floor((10 * progress.progress) / total) : 0;
    const mark = `${message} ${tenth}`;
    if (this.#toldProgress.get(progress.callId) === mark) return;
    this.#toldProgress.set(progress.callId, mark);
    this.#sink.line(this.#sink.colors.dim(`      tool ${progress.tool} · ${progressWords(progress)}`));
  }

  #print(deltas: LiveDelta[]): void {
    const { yellow } = this.#sink.colors;
    for (const delta of deltas) {
      switch (delta.type) {
        case 'reset':
          this.#sink.line(yellow(`      attempt ${delta.attempt}: the reply starts again`));
          break;
        case 'gap':
          this.#sink.text(yellow(`[… ${formatCount(delta.chars)} characters not seen …]`));
          break;
        case 'text':
          this.#printText(delta.channel, delta.text);
          break;
        case 'whole':
          this.#sink.line(yellow('      the whole reply:'));
          this.#sink.text(terminalText(isJson(delta.text) ? (spokenText(delta.text) ?? '') : delta.text));
          break;
      }
    }
  }

  /** Reasoning is dim and on lines of its own; arguments of tools come with their event. */
  #printText(channel: LiveChannel, text: string): void {
    if (channel === 'tool_input') return;
    if (channel !== this.#channel) this.#sink.endText();
    this.#channel = channel;
    const clean = terminalText(text);
    this.#sink.text(channel === 'reasoning' ? this.#sink.colors.dim(clean) : clean);
  }
}

/** The words before the JSON that such a role may speak; what may become JSON is waited for. */
function wordsBefore(live: TextDelta): TextDelta {
  const at = jsonStart(live.text);
  const end = at >= 0 ? at : live.text.search(/[`{[]\s*$/);
  return { ...live, text: (end < 0 ? live.text : live.text.slice(0, end)).trimEnd() };
}

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
};

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
