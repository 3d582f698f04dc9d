/** A run in a terminal: what happens scrolls by, and a person steers, answers and asks on. */

import type { OfAgent, Run, RunEvent, RunView } from '../../client/index.js';
import type { Gate } from '../../core/gates/gate.js';
import type { JournalEvent } from '../../core/state/journal.js';
import { verbCall } from '../../shared/called-as.js';
import type { Context } from '../command.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import type { Notifier } from '../notify.js';
import { goalEndLine } from '../print/end-lines.js';
import { LineClock } from '../print/line-clock.js';
import { showEvents } from '../print/plain-view.js';
import { findEditor } from './editor.js';
import { takesYes } from './input/gate-keys.js';
import type { Key } from './input/keys.js';
import { onKey } from './input/talk.js';
import { NEW_TALK } from './input/talk-state.js';
import { newProgress, take } from './run-view.js';
import { liveArea } from './screen/live-area.js';
import { Reader } from './screen/reader.js';
import { Readings } from './screen/reading.js';
import { scrollLines } from './screen/scroll-lines.js';
import { Scrollback } from './screen/scrollback.js';
import { openTerminal, type Terminal } from './screen/terminal.js';
import { SessionActions, type SessionState } from './session-actions.js';
import { StateReader } from './state-reader.js';
import { sessionWords } from './words.js';

export interface SessionOptions {
  run: Run;
  goal: string;
  /** The run was started here, to stay open for follow-ups: leaving ends that. */
  owned: boolean;
  /** `--config` of the start, if any: where tool servers with prompts are looked for. */
  config?: string | undefined;
  /** Is told what happens. */
  notifier: Notifier;
}

const REDRAW_MS = 500;
/** Events after which the whole state is read anew: gates, limits, answers. */
const TELLING: readonly JournalEvent['type'][] = [
  'run_loaded',
  'gate_opened',
  'gate_closed',
  'goal_ended',
  'model_call_ended',
  'budget_set',
  'provider_switch',
  'warning',
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
  readonly #context: Context;
  readonly #options: SessionOptions;
  readonly #terminal: Terminal;
  readonly #scrollback: Scrollback;
  readonly #sessionState: SessionState;
  readonly #readings: Readings;
  readonly #clock = new LineClock();
  readonly #reader: Reader;
  readonly #states: StateReader;
  readonly #actions: SessionActions;
  readonly #left = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #untell: () => void;
  /** Numbers of the goals whose answers are still to be told. */
  readonly #answersDue: number[] = [];

  constructor(context: Context, options: SessionOptions) {
    const { run, goal, owned, config } = options;
    const { colors } = context.output.out;
    this.#context = context;
    this.#options = options;
    const editor = findEditor();
    this.#sessionState = { talk: { ...NEW_TALK, editor: editor !== null }, progress: newProgress(goal) };
    this.#terminal = openTerminal({ key: key => this.#key(key), area: () => this.#area() });
    const refresh = () => this.#terminal.refresh();
    this.#scrollback = new Scrollback(this.#terminal, colors);
    this.#readings = new Readings(run);
    const terminal = this.#terminal;
    const scrollback = this.#scrollback;
    const readings = this.#readings;
    const sessionState = this.#sessionState;
    const left = this.#left;
    this.#reader = new Reader({ readings, terminal, colors, failed: error => this.#actions.failed(error) });
    this.#states = new StateReader(run, (state, asked) => this.#takeState(state, asked));
    const reader = this.#reader;
    const states = this.#states;
    this.#actions = new SessionActions({
      run,
      owned,
      config,
      sessionState,
      scrollback,
      reader,
      states,
      left,
      refresh,
      editor,
      lend: terminal.lend,
    });
    const { progress } = context;
    const told = progress.line;
    progress.line = line => scrollback.tell([line]);
    this.#untell = () => {
      progress.line = told;
    };
    this.#timer = setInterval(refresh, REDRAW_MS);
  }

  async hold(): Promise<number> {
    const { run } = this.#options;
    const { signal } = this.#left;
    this.#actions.carryOut({ do: 'list-prompts', server: null });
    const end = await showEvents(run.events({ signal }), event => this.#take(event));
    if (end === null) return this.#detached();
    await Promise.all([this.#states.done(), this.#reader.closed()]);
    this.#scrollback.end(end);
    return exitCodeOf(end.outcome);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#untell();
    this.#terminal.close();
  }

  #take(item: RunEvent): void {
    const { progress } = this.#sessionState;
    if (!this.#isApproved(item)) this.#options.notifier.take(item);
    this.#tellTrouble(item);
    if ('seq' in item) this.#print(item);
    take(progress, item);
    if ('seq' in item && item.path === undefined) this.#follow(item);
    if (progress.children.size !== this.#sessionState.talk.agents.length)
      this.#sessionState.talk = { ...this.#sessionState.talk, agents: [...progress.children.keys()] };
    this.#terminal.refresh();
  }

  /** What scrolls by, as the run stood before it. */
  #print(event: JournalEvent & OfAgent): void {
    const { path } = event;
    const { progress } = this.#sessionState;
    this.#scrollback.print(scrollLines(this.#clock.shown(event), progress, this.#scrollback.page));
    const { calls } = (path === undefined ? progress : progress.children.get(path)) ?? progress;
    if (event.type === 'model_call_ended') this.#readings.note(event, calls.get(event.callId)?.form);
    // The conversation of a sub-agent is another: what its tools gave is not opened here.
    if (event.type === 'tool_call_ended' && path === undefined) this.#readings.note(event, undefined);
  }

  #tellTrouble(item: RunEvent): void {
    const who = item.path === undefined ? '' : `${item.path} › `;
    if (item.type === 'notice') this.#scrollback.tell([`${who}${item.text}`]);
    if (item.type !== 'retry') return;
    const { attempt, message } = item;
    this.#scrollback.tell([`      ${who}attempt ${attempt}, since: ${message}`]);
  }

  /** After `/yes` a gate that it answers is no news. */
  #isApproved(item: RunEvent): boolean {
    return this.#sessionState.talk.yes && item.type === 'gate_opened' && takesYes(item);
  }

  /** What follows from an event of the run itself. */
  #follow(event: JournalEvent): void {
    const sessionState = this.#sessionState;
    const actions = this.#actions;
    const { progress } = sessionState;
    if (event.type === 'goal_ended') this.#answersDue.push(event.number);
    if (event.type === 'gate_closed')
      actions.setGates(sessionState.talk.gates.filter(gate => gate.id !== event.gateId));
    if (event.type === 'resumed') sessionState.talk = { ...sessionState.talk, held: false };
    if (sessionState.talk.idle !== progress.idle)
      sessionState.talk = { ...sessionState.talk, idle: progress.idle };
    if (TELLING.includes(event.type)) this.#states.read();
  }

  #key(key: Key): void {
    if (this.#actions.finishing && key.ctrl && key.name === 'c') {
      this.#left.abort();
      return;
    }
    if (this.#reader.isOpen) {
      this.#reader.key(key);
      return;
    }
    const { talk, effects } = onKey(this.#sessionState.talk, key, Date.now());
    this.#sessionState.talk = talk;
    for (const effect of effects) this.#actions.carryOut(effect);
  }

  /** Gates, limits and answers. */
  #takeState(state: RunView, asked: number): void {
    Object.assign(this.#sessionState.progress, { state, goal: state.goal });
    const words = sessionWords(state.language);
    this.#sessionState.talk = { ...this.#sessionState.talk, words };
    this.#actions.setGates(state.gates, asked);
    void this.#readInputs(state.gates);
    for (const number of this.#answersDue.splice(0)) {
      const goal = state.goals.find(candidate => candidate.number === number);
      if (goal) this.#scrollback.answer(goal.answer, goalEndLine(goal));
    }
    this.#terminal.refresh();
  }

  /** All that is asked about, before a person asks to see or edit it. */
  async #readInputs(gates: readonly Gate[]): Promise<void> {
    const sessionState = this.#sessionState;
    for (const gate of gates.filter(({ id }) => !(id in sessionState.talk.inputs))) {
      const input = await this.#options.run.inputOf(gate);
      if (input === null) continue;
      sessionState.talk = { ...sessionState.talk, inputs: { ...sessionState.talk.inputs, [gate.id]: input } };
    }
  }

  async #detached(): Promise<number> {
    const { run, owned } = this.#options;
    const { talk, progress } = this.#sessionState;
    const { gates, idle } = talk;
    const { notes } = this.#context.output;
    const unsent = await this.#actions.letGo();
    this.close();
    for (const text of unsent) notes.line(`Not sent: ${text}`);
    await this.#actions.endWhenAnswered();
    const left = { id: run.id, owned, idle, paused: progress.paused, waiting: gates.length > 0 };
    for (const line of farewellLines(left)) notes.line(line);
    return idle ? EXIT.ok : EXIT.cancelled;
  }

  #area(): string[] {
    const { talk, progress } = this.#sessionState;
    const [gate] = talk.gates;
    if (this.#reader.isOpen) return this.#reader.area(gate ? `${gate.id} waits for your answer` : '');
    const screen = {
      columns: this.#terminal.columns(),
      rows: this.#terminal.rows(),
      colors: this.#scrollback.colors,
      now: Date.now(),
    };
    return liveArea(progress, talk, screen);
  }
}

// What a session says of its run when it is left. Pure.

export interface LeftRun {
  id: string;
  /** It waits for an answer of a person. */
  waiting: boolean;
  paused: boolean;
  /** Its goal is answered. */
  idle: boolean;
  /** It was kept open for this session only. */
  owned: boolean;
}

/** How it stands, then what can be done from here. */
export function farewellLines({ id, waiting, paused, idle, owned }: LeftRun): string[] {
  const verb = (name: string, rest = '') => verbCall(`${name} ${id}${rest}`);
  if (idle && owned)
    return [`The run ${id} is answered, and ends.`, `Its answer:          ${verb('result')}`];
  const how = waiting
    ? `waits for your answer: ${verb('show')}`
    : idle
      ? 'is answered, and open for a follow-up.'
      : paused
        ? `is paused: ${verb('resume')}`
        : 'goes on.';
  return [
    `The run ${id} ${how}`,
    `Watch and steer it:  ${verb('watch')}`,
    `Say something to it: ${verb('steer', ' "…"')}`,
    `Stop it:             ${verb('stop')}`,
  ];
}
