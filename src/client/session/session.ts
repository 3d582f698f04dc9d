/** A run in a terminal: what happens scrolls by, and a person steers, answers and asks on. */
import { setTimeout as delay } from 'node:timers/promises';
import type { JournalEvent } from '../../core/journal.js';
import { isOpen as isOpenTask } from '../../core/plan.js';
import { stateQuery } from '../../workflows/messages.js';
import { askRun } from '../ask-run.js';
import type { Context } from '../command.js';
import { webUiLink } from '../connect.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { wrapText } from '../layout.js';
import { markdownLines } from '../markdown.js';
import { showWatch } from '../plain-view.js';
import { endLine, outcomeLine, type RunEnd } from '../run-end.js';
import { terminalText } from '../terminal-text.js';
import type { WatchItem } from '../watch-run.js';
import { watchRun } from '../watch-run.js';
import { type Does, describeError, doer } from './doing.js';
import type { Key } from './line-editor.js';
import { liveArea } from './live-area.js';
import { newProgress, type RunProgress, takeEvent, takeLive } from './run-view.js';
import { scrollLines } from './scroll-lines.js';
import type { Effect, Talk } from './talk.js';
import { NEW_TALK, onKey, takenBack, withGates } from './talk.js';
import { openTerminal, type Terminal } from './terminal.js';

export interface SessionOptions {
  id: string;
  goal: string;
  /** The run was started here, to stay open for follow-ups: leaving ends that. */
  owned: boolean;
}

const REDRAW_MS = 500;
const STATE_TIMEOUT_MS = 5_000;
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
  private readonly timer: NodeJS.Timeout;
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
    this.webUi = webUiLink(context.temporal, options.id);
    this.progress = newProgress(options.goal);
    this.does = doer(context.temporal, options.id);
    this.terminal = openTerminal({ key: key => this.key(key), resize: () => this.draw() });
    this.timer = setInterval(() => this.draw(), REDRAW_MS);
  }

  async hold(): Promise<number> {
    const { id } = this.options;
    const { signal } = this.left;
    const items = watchRun(this.context.temporal, id, { signal });
    const end = await showWatch(items, item => this.take(item), signal);
    if (end === null) return this.detached();
    await this.reading;
    this.printEnd(end);
    return exitCodeOf(end.outcome);
  }

  close(): void {
    clearInterval(this.timer);
    this.terminal.close();
  }

  private take(item: WatchItem): void {
    if (item.kind === 'event') this.takeEvent(item.event);
    if (item.kind === 'live') takeLive(this.progress, item.live);
    if (item.kind === 'notice') this.print([this.colors.yellow(item.text)]);
    if (item.kind === 'retry') {
      const { attempt, message } = item.retry;
      this.print(this.wrap(this.colors.yellow(`      attempt ${attempt}, since: ${terminalText(message)}`)));
    }
    this.draw();
  }

  private takeEvent(event: JournalEvent): void {
    const page = { width: this.width, colors: this.colors, ownMessages: this.ownMessages };
    this.print(scrollLines(event, this.progress, page));
    takeEvent(this.progress, event);
    if (event.type === 'goal_ended') this.answersDue.push(event.number);
    if (event.type === 'gate_closed')
      this.setGates(this.talk.gates.filter(gate => gate.gateId !== event.gateId));
    if (this.talk.idle !== this.progress.idle) this.talk = { ...this.talk, idle: this.progress.idle };
    if (TELLING.includes(event.type)) this.readState();
  }

  private key(key: Key): void {
    if (this.finishing && key.ctrl && key.name === 'c') {
      this.left.abort();
      return;
    }
    const { talk, effects } = onKey(this.talk, key, Date.now());
    this.talk = talk;
    for (const effect of effects) void this.carryOut(effect);
    this.draw();
  }

  private async carryOut(effect: Effect): Promise<void> {
    try {
      switch (effect.do) {
        case 'say':
          this.print(effect.lines.flatMap(line => this.wrap(this.colors.yellow(line))));
          return;
        case 'detach':
          this.left.abort();
          return;
        case 'finish':
          await this.finish();
          return;
        case 'status':
          this.print(await this.does.status());
          return;
        case 'answer':
          this.answered.add(effect.gate.gateId);
          this.setGates(this.talk.gates);
          this.print(this.wrap(`${this.colors.bold('you:')} ${terminalText(answerWords(effect))}`));
          await this.does.answer(effect.gate, effect.input);
          return;
        case 'steer':
        case 'follow-up':
          await this.send(effect);
          return;
        case 'take-back':
          await this.takeBack();
          return;
        default:
          await this.does.signal(effect.do);
      }
    } catch (error) {
      if (effect.do === 'answer') this.answered.delete(effect.gate.gateId);
      this.print(describeError(error).flatMap(line => this.wrap(this.colors.yellow(line))));
      this.readState();
    }
  }

  private async send(effect: Extract<Effect, { do: 'steer' | 'follow-up' }>): Promise<void> {
    const { bold } = this.colors;
    const mark = effect.do === 'follow-up' ? (this.progress.idle ? 'you' : 'you, for later') : 'you';
    const cut = effect.do === 'steer' && effect.when === 'interrupt' ? ' (interrupt)' : '';
    this.print(this.wrap(`${bold(`${mark}${cut}:`)} ${terminalText(effect.text)}`));
    await this.does.send(effect, (id, text) => this.ownMessages.set(id, text));
  }

  private async takeBack(): Promise<void> {
    const text = await this.does.takeBack([...this.ownMessages.keys()]);
    if (text !== null) this.talk = takenBack(this.talk, text);
    else {
      const hint = 'Nothing of yours waits. Type what to say, then Esc cuts off what runs and says it.';
      this.print(this.wrap(this.colors.yellow(this.progress.idle ? 'Nothing runs now.' : hint)));
    }
    this.draw();
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
    const asked = { id: this.options.id, timeoutMs: STATE_TIMEOUT_MS };
    const state = await askRun(this.context.temporal, asked, stateQuery).catch(() => null);
    if (state === null) return;
    this.progress.state = state;
    this.progress.goal = state.goal;
    this.setGates(state.gates);
    for (const number of this.answersDue.splice(0)) {
      const goal = state.goals.find(candidate => candidate.number === number);
      if (goal) this.printAnswer(goal.answer, outcomeLine(goal.outcome));
    }
    this.draw();
  }

  private setGates(gates: Talk['gates']): void {
    const open = gates.filter(gate => !this.answered.has(gate.gateId));
    const tasks = (this.progress.state?.tasks ?? []).filter(isOpenTask);
    this.talk = withGates(this.talk, open, tasks, Date.now());
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
    const { id, owned } = this.options;
    const { gates, idle } = this.talk;
    this.close();
    const { notes } = this.context.output;
    const leftIdle = idle && !owned;
    // Nobody is here for a follow-up any more: it ends when its goal is answered.
    if (owned && !this.finishing) await this.does.signal('finish').catch(() => undefined);
    notes.line(leftIdle ? `The run ${id} is open for a follow-up.` : `The run ${id} goes on.`);
    if (gates.length > 0) notes.line(`It waits for an answer: npm run client -- show ${id}`);
    notes.line(`Watch and steer it:  npm run client -- watch ${id}`);
    notes.line(`Say something to it: npm run client -- steer ${id} "…"`);
    notes.line(`Stop it:             npm run client -- stop ${id}`);
    return leftIdle ? EXIT.ok : EXIT.cancelled;
  }

  private print(lines: readonly string[]): void {
    this.terminal.print(lines);
  }

  private wrap(text: string): string[] {
    return text.split('\n').flatMap(line => wrapText(line, this.width, '      '));
  }

  private draw(): void {
    const columns = this.terminal.columns();
    const screen = {
      columns,
      rows: this.terminal.rows(),
      colors: this.colors,
      now: Date.now(),
      webUi: this.webUi,
    };
    this.terminal.draw(liveArea(this.progress, this.talk, screen));
  }

  private get width(): number {
    return Math.max(20, this.terminal.columns() - 1);
  }

  private get colors() {
    return this.context.output.out.colors;
  }
}

/** What was answered, in a line. */
function answerWords({ gate, input }: Extract<Effect, { do: 'answer' }>): string {
  const { gateId: _, decision, ...rest } = input;
  const said = [decision, ...Object.values(rest)].filter(part => part !== undefined);
  const words = said.map(part => (typeof part === 'string' ? part : JSON.stringify(part)));
  return `${gate.gateId} · ${words.join(' · ')}`;
}
