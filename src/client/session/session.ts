/** A run in a terminal: what happens scrolls by, and a person steers, answers and asks on. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Gate } from '../../core/gates/gate.js';
import type { JournalEvent } from '../../core/journal.js';
import { isOpen as isOpenTask } from '../../core/plan.js';
import { endLine, goalEndLine } from '../../print/end-lines.js';
import { hiddenInput } from '../../print/gate-help.js';
import { wrapText } from '../../print/layout.js';
import { markdownLines } from '../../print/markdown.js';
import { showEvents } from '../../print/plain-view.js';
import { terminalText } from '../../print/terminal-text.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { type Run, type RunEnd, type RunEvent, SteersmanError } from '../index.js';
import type { Context } from '../verbs/command.js';
import type { Notifier } from '../verbs/notify.js';
import { type Does, describeError, doer, outgoing } from './doing.js';
import { farewellLines } from './farewell.js';
import { takesYes, yesEffects } from './gate-keys.js';
import type { Key } from './keys.js';
import { liveArea } from './live-area.js';
import { lookLines } from './look.js';
import { withMenu } from './menu.js';
import { Reader } from './reader.js';
import { Readings } from './reading.js';
import { newProgress, type RunProgress, takeEvent, takeLive, takeProgress } from './run-view.js';
import { gateLines, type Page, scrollLines } from './scroll-lines.js';
import { SendQueue } from './send-queue.js';
import { onKey } from './talk.js';
import { type Effect, NEW_TALK, type Talk, takenBack, withGates } from './talk-state.js';
import { openTerminal, type Terminal } from './terminal.js';
import { workspaceFiles } from './workspace-files.js';

export interface SessionOptions {
  run: Run;
  goal: string;
  /** The run was started here, to stay open for follow-ups: leaving ends that. */
  owned: boolean;
  /** Is told what happens. */
  notifier: Notifier;
}

const REDRAW_MS = 500;
const SEND_AGAIN_MS = 1_000;
const LEAVE_TIMEOUT_MS = 5_000;

/** Events after which the whole state is read anew: gates, limits, answers. */
const TELLING: readonly JournalEvent['type'][] = [
  'run_loaded',
  'gate_opened',
  'gate_closed',
  'goal_ended',
  'model_call_ended',
  'budget_set',
  'paused',
  'resumed',
];

/** Holds the session until the run ends or the person leaves; resolves to the exit code. */
export async function runSession(context: Context, options: SessionOptions): Promise<number> {
  const session = new Session(context, options);
  try {
    return await session.hold();
  } finally {
    session.close();
  }
}

class Session {
  private readonly context: Context;
  private readonly options: SessionOptions;
  private readonly terminal: Terminal;
  private readonly progress: RunProgress;
  private readonly webUi: string | null;
  private readonly ownMessages = new Map<string, string>();
  private readonly left = new AbortController();
  private readonly does: Does;
  private readonly queue: SendQueue;
  private readonly readings: Readings;
  private readonly reader: Reader;
  private readonly timer: NodeJS.Timeout;
  private readonly untell: () => void;
  private talk: Talk = NEW_TALK;
  /** Gates that were answered from here and may still be in a state read before that. */
  private readonly answered = new Set<string>();
  private readonly answersDue: number[] = [];
  private lastAnswer: string | null = null;
  private reading: Promise<void> | null = null;
  private readAgain = false;
  private finishing = false;

  constructor(context: Context, options: SessionOptions) {
    this.context = context;
    this.options = options;
    this.webUi = options.run.webUi;
    this.progress = newProgress(options.goal);
    this.does = doer(options.run);
    this.queue = new SendQueue({
      mayPass: error => error instanceof SteersmanError && error.code === 'unreachable',
      pause: () => delay(SEND_AGAIN_MS, undefined, { signal: this.left.signal }).catch(() => undefined),
      waits: error => this.tell([...describeError(error), 'What you said is sent when it answers again.']),
      failed: (error, texts) => this.failed(error, texts),
    });
    this.terminal = openTerminal({ key: key => this.key(key), area: () => this.area() });
    this.readings = new Readings(options.run);
    this.reader = new Reader({
      readings: this.readings,
      terminal: this.terminal,
      colors: this.colors,
      failed: error => this.failed(error),
    });
    const { progress } = context;
    const told = progress.line;
    progress.line = line => this.tell([line]);
    this.untell = () => {
      progress.line = told;
    };
    this.timer = setInterval(() => this.terminal.refresh(), REDRAW_MS);
  }

  async hold(): Promise<number> {
    const { run } = this.options;
    const { signal } = this.left;
    const end = await showEvents(run.events({ signal }), event => this.take(event));
    if (end === null) return this.detached();
    await Promise.all([this.reading, this.reader.closed()]);
    this.printEnd(end);
    return exitCodeOf(end.outcome);
  }

  close(): void {
    clearInterval(this.timer);
    this.untell();
    this.terminal.close();
  }

  private take(item: RunEvent): void {
    if (!this.isApproved(item)) this.options.notifier.take(item);
    if (item.type === 'journal') this.takeEvent(item.event);
    if (item.type === 'text') takeLive(this.progress, item);
    if (item.type === 'progress') takeProgress(this.progress, item.progress);
    if (item.type === 'notice') this.tell([item.text]);
    if (item.type === 'retry') {
      const { attempt, message } = item.retry;
      this.tell([`      attempt ${attempt}, since: ${message}`]);
    }
    this.terminal.refresh();
  }

  /** After `/yes` a gate that it answers is no news. */
  private isApproved(item: RunEvent): boolean {
    return (
      this.talk.yes && item.type === 'journal' && item.event.type === 'gate_opened' && takesYes(item.event)
    );
  }

  private takeEvent(event: JournalEvent): void {
    this.print(scrollLines(event, this.progress, this.page));
    if (event.type === 'model_call_ended' || event.type === 'tool_call_ended')
      this.readings.note(event, this.progress.calls.get(event.callId)?.form);
    takeEvent(this.progress, event);
    if (event.type === 'goal_ended') this.answersDue.push(event.number);
    if (event.type === 'gate_closed')
      this.setGates(this.talk.gates.filter(gate => gate.gateId !== event.gateId));
    if (event.type === 'resumed') this.talk = { ...this.talk, held: false };
    if (this.talk.idle !== this.progress.idle) this.talk = { ...this.talk, idle: this.progress.idle };
    if (TELLING.includes(event.type)) this.readState();
  }

  private key(key: Key): void {
    if (this.finishing && key.ctrl && key.name === 'c') {
      this.left.abort();
      return;
    }
    if (this.reader.isOpen) {
      this.reader.key(key);
      return;
    }
    const { talk, effects } = onKey(this.talk, key, Date.now());
    this.talk = talk;
    for (const effect of effects) this.carryOut(effect);
  }

  private carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'say':
        this.tell(effect.lines);
        return;
      case 'detach':
        this.left.abort();
        return;
      case 'finish':
        void this.finish().catch(error => this.failed(error));
        return;
      case 'status':
        void this.does.status().then(
          lines => this.print(lines.flatMap(line => this.wrap(line))),
          error => this.failed(error),
        );
        return;
      case 'view':
        this.view(effect.gate);
        return;
      case 'look':
        this.print(
          lookLines(effect.at, this.progress.state, this.talk, this.page).flatMap(line => this.wrap(line)),
        );
        return;
      case 'open-last': {
        const { gates, inputs } = this.talk;
        this.reader.openLast(gates[0], inputs[gates[0]?.gateId ?? ''] ?? null);
        return;
      }
      case 'transcript':
        this.reader.openTranscript(effect.thread === '' ? undefined : effect.thread);
        return;
      case 'add-task':
        this.change(() =>
          this.does.addTask(effect.text, this.progress.state?.tasks.map(({ id }) => id) ?? []),
        );
        return;
      case 'set-budget':
        this.change(() => this.does.setBudget(effect.words));
        return;
      case 'list-files':
        void this.listFiles();
        return;
      case 'answer':
        this.answer(effect);
        return;
      case 'steer':
      case 'follow-up':
        this.say(effect);
        return;
      case 'take-back':
        this.queue.add({ text: null, send: () => this.takeBack() });
        return;
      case 'pause':
      case 'hold':
      case 'resume':
      case 'stop': {
        const { do: signal } = effect;
        this.queue.add({ text: null, send: () => this.does.signal(signal) });
      }
    }
  }

  private view(gate: Gate): void {
    const rest = hiddenInput(gate, this.talk.inputs[gate.gateId] ?? null);
    const lines = rest.flatMap(line => this.wrap(`      ${terminalText(line)}`));
    this.print([...gateLines(gate, this.page), ...lines]);
  }

  /** Carried out in turn with what is said; the journal tells what became of it. */
  private change(send: () => Promise<void>): void {
    this.queue.add({ text: null, send: () => send().then(() => this.readState()) });
  }

  /** Anew at each `@`: the run writes files meanwhile. */
  private async listFiles(): Promise<void> {
    const workspace = this.progress.state?.workspace;
    if (workspace === undefined) return;
    const files = await workspaceFiles(workspace);
    this.talk = withMenu(this.talk, { ...this.talk, files }).talk;
    this.terminal.refresh();
  }

  private answer({ gate, input }: Extract<Effect, { do: 'answer' }>): void {
    if (this.answered.has(gate.gateId)) return;
    this.answered.add(gate.gateId);
    this.setGates(this.talk.gates);
    this.print(this.wrap(`${this.colors.bold('you:')} ${terminalText(answerWords(gate, input))}`));
    const send = () =>
      this.does.answer(gate, input).catch(error => {
        this.answered.delete(gate.gateId);
        // What is not taken is not tried for ever.
        this.talk = { ...this.talk, yes: false };
        throw error;
      });
    this.queue.add({ text: null, send });
  }

  private say(effect: Extract<Effect, { do: 'steer' | 'follow-up' }>): void {
    const mark = effect.do === 'follow-up' && !this.progress.idle ? 'you, for later' : 'you';
    const cut = effect.do === 'steer' && effect.when === 'interrupt' ? ' (interrupt)' : '';
    const to = effect.do === 'steer' && effect.to ? `, to ${effect.to}` : '';
    this.print(this.wrap(`${this.colors.bold(`${mark}${to}${cut}:`)} ${terminalText(effect.text)}`));
    const message = outgoing(effect);
    this.ownMessages.set(message.id, effect.text);
    this.queue.add({ text: effect.text, send: () => this.does.deliver(message).then(() => undefined) });
  }

  /** What was not taken comes back into the line, in the order it was said. */
  private failed(error: unknown, texts: string[] = []): void {
    this.tell(describeError(error));
    if (texts.length > 0) {
      this.tell(['It was not sent, and is in your line again.']);
      this.talk = takenBack(this.talk, texts.join('\n'));
    }
    this.readState();
  }

  private async takeBack(): Promise<void> {
    const text = await this.does.takeBack([...this.ownMessages.keys()]);
    if (text !== null) this.talk = takenBack(this.talk, text);
    else this.tell(['Nothing that you said waits: it has been read.']);
    this.terminal.refresh();
  }

  /** Leaves a run that is answered: it ends, where it was kept open for this session. */
  private async finish(): Promise<void> {
    if (!this.options.owned && this.progress.idle) {
      this.left.abort();
      return;
    }
    this.finishing = true;
    await this.does.signal('finish');
    if (!this.progress.idle) return;
    // A run without a worker does not end now: nobody waits for that.
    await delay(LEAVE_TIMEOUT_MS, undefined, { ref: false });
    this.left.abort();
  }

  /** Reads gates, limits and answers; once more when asked meanwhile. */
  private readState(): void {
    if (this.reading) {
      this.readAgain = true;
      return;
    }
    this.reading = this.readOnce().finally(() => {
      this.reading = null;
      if (!this.readAgain) return;
      this.readAgain = false;
      this.readState();
    });
  }

  private async readOnce(): Promise<void> {
    const state = await this.options.run.state().catch(() => null);
    if (state === null) return;
    this.progress.state = state;
    this.progress.goal = state.goal;
    this.setGates(state.gates);
    void this.readInputs(state.gates);
    for (const number of this.answersDue.splice(0)) {
      const goal = state.goals.find(candidate => candidate.number === number);
      if (goal) this.printAnswer(goal.answer, goalEndLine(goal));
    }
    this.terminal.refresh();
  }

  /** All that is asked about, before a person asks to see or edit it. */
  private async readInputs(gates: readonly Gate[]): Promise<void> {
    for (const gate of gates.filter(({ gateId }) => !(gateId in this.talk.inputs))) {
      const input = await this.options.run.inputOf(gate);
      if (input === null) continue;
      this.talk = { ...this.talk, inputs: { ...this.talk.inputs, [gate.gateId]: input } };
    }
  }

  private setGates(gates: Talk['gates']): void {
    const open = gates.filter(gate => !this.answered.has(gate.gateId));
    const tasks = (this.progress.state?.tasks ?? []).filter(isOpenTask);
    this.talk = withGates(this.talk, open, tasks, Date.now());
    for (const effect of yesEffects(this.talk)) this.carryOut(effect);
  }

  private printAnswer(answer: string, outcome: string): void {
    const { green, bold } = this.colors;
    const lines =
      answer === '' ? [] : ['', ...markdownLines(answer, { width: this.width, colors: this.colors })];
    this.lastAnswer = answer;
    this.print(['', green(bold(outcome)), ...lines, '']);
  }

  private printEnd(end: RunEnd): void {
    const answer = end.result?.answer ?? '';
    if (answer !== '' && answer !== this.lastAnswer) this.printAnswer(answer, endLine(end));
    else if (end.outcome !== 'completed' || this.lastAnswer === null) this.print(this.wrap(endLine(end)));
  }

  private async detached(): Promise<number> {
    const { run, owned } = this.options;
    const { id } = run;
    const { gates, idle } = this.talk;
    const { notes } = this.context.output;
    // What was typed last may be on its way still.
    await Promise.race([this.queue.drained(), delay(LEAVE_TIMEOUT_MS, undefined, { ref: false })]);
    const unsent = this.queue.close();
    this.close();
    for (const text of unsent) notes.line(`Not sent: ${text}`);
    // Nobody is here for a follow-up any more: it ends when its goal is answered.
    if (owned && !this.finishing) await this.does.signal('finish').catch(() => undefined);
    const { paused } = this.progress;
    for (const line of farewellLines({ id, owned, idle, paused, waiting: gates.length > 0 }))
      notes.line(line);
    return idle ? EXIT.ok : EXIT.cancelled;
  }

  private print(lines: readonly string[]): void {
    this.terminal.print(lines);
  }

  private wrap(text: string): string[] {
    return text.split('\n').flatMap(line => wrapText(line, this.width, '      '));
  }

  private tell(lines: readonly string[]): void {
    this.print(lines.flatMap(line => this.wrap(this.colors.yellow(terminalText(line)))));
  }

  private area(): string[] {
    const [gate] = this.talk.gates;
    if (this.reader.isOpen) return this.reader.area(gate ? `${gate.gateId} waits for your answer` : '');
    const columns = this.terminal.columns();
    const rows = this.terminal.rows();
    const screen = { columns, rows, colors: this.colors, now: Date.now(), webUi: this.webUi };
    return liveArea(this.progress, this.talk, screen);
  }

  private get page(): Page {
    return { width: this.width, colors: this.colors, ownMessages: this.ownMessages };
  }

  private get width(): number {
    return Math.max(20, this.terminal.columns() - 1);
  }

  private get colors() {
    return this.context.output.out.colors;
  }
}

/** What was answered, in a line. */
function answerWords(gate: Gate, input: Record<string, unknown>): string {
  const { gateId: _, decision, ...rest } = input;
  const said = [decision, ...Object.values(rest)].filter(part => part !== undefined);
  const words = said.map(part => (typeof part === 'string' ? part : JSON.stringify(part)));
  return `${gate.gateId} · ${words.join(' · ')}`;
}
