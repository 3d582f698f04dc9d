/** Shows a run in a terminal: events scroll by, while a person steers, answers gates and adds goals. */

import { EXIT, exitCodeOf, goalEndLine, LineClock, showEvents } from '@steersman/print';
import { newProgress, take, takeState } from '@steersman/view';
import type { Gate, JournalEvent, OfAgent, RunEvent, RunView } from 'steersman/client';
import { verbCall } from 'steersman/shared';
import type { Context } from './context.js';
import { findEditor } from './editor.js';
import { takesYes } from './input/gate-keys.js';
import type { Key } from './input/keys.js';
import { onKey } from './input/on-key.js';
import { drawn, NEW_SESSION } from './input/session-state.js';
import { sessionWords } from './input/words.js';
import type { Notifier } from './notify.js';
import { liveArea } from './screen/live-area.js';
import { Reader } from './screen/reader.js';
import { scrollLines } from './screen/scroll-lines.js';
import { Scrollback } from './screen/scrollback.js';
import { openTerminal, type Streams, type Terminal } from './screen/terminal.js';
import { SessionActions, type SessionScope } from './session-actions.js';
import { StateReader } from './state-reader.js';

export interface SessionOptions extends Pick<SessionScope, 'run' | 'owned' | 'config'> {
  goal: string;
  notifier: Notifier;
}

const REDRAW_MS = 500;
/** Events after which the state is read again: they change gates, limits or answers. */
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
export async function runSession(
  context: Context,
  options: SessionOptions,
  streams: Streams = process,
): Promise<number> {
  const session = new Session(context, options, streams);
  try {
    return await session.hold();
  } finally {
    session.close();
  }
}

type GateEvent = Extract<JournalEvent, { type: 'gate_opened' }>;

class Session {
  readonly #context: Context;
  readonly #notifier: Notifier;
  readonly #terminal: Terminal;
  readonly #scope: SessionScope;
  readonly #clock = new LineClock();
  readonly #actions: SessionActions;
  readonly #timer: NodeJS.Timeout;
  readonly #lineBefore: Context['progress']['line'];
  /** Numbers of answered goals whose answers are not printed yet. */
  readonly #answersDue: number[] = [];
  /** Gates that no state has listed yet, each with the number of the last state query that may not know it. */
  #gatesDue: { event: GateEvent; asked: number }[] = [];

  constructor(context: Context, { run, goal, owned, config, notifier }: SessionOptions, streams: Streams) {
    const { colors } = context.output.out;
    const editor = findEditor();
    const terminal = openTerminal({ key: key => this.#key(key), area: () => this.#area() }, streams);
    this.#context = context;
    this.#notifier = notifier;
    this.#terminal = terminal;
    this.#scope = {
      ...{ run, owned, config, editor, terminal },
      session: { ...NEW_SESSION, editor: editor !== null },
      progress: newProgress(goal),
      scrollback: new Scrollback(terminal, colors),
      reader: new Reader(run, terminal, colors, error => this.#actions.failed(error)),
      states: new StateReader(run, (state, asked) => this.#takeState(state, asked)),
      left: new AbortController(),
    };
    this.#actions = new SessionActions(this.#scope);
    this.#lineBefore = context.progress.line;
    context.progress.line = line => this.#scope.scrollback.tell([line]);
    this.#timer = setInterval(() => {
      terminal.refresh();
      if (this.#gatesDue.length > 0) this.#scope.states.read();
    }, REDRAW_MS);
  }

  async hold(): Promise<number> {
    const { run, left, states, reader, scrollback } = this.#scope;
    this.#actions.carryOut({ do: 'list-prompts', server: null });
    const end = await showEvents(run.events({ signal: left.signal }), event => this.#take(event));
    if (end === null) return this.#detached();
    await Promise.all([states.done(), reader.closed()]);
    this.#printGates(() => true);
    scrollback.end(end);
    return exitCodeOf(end.outcome);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#context.progress.line = this.#lineBefore;
    this.#terminal.close();
  }

  #take(item: RunEvent): void {
    const scope = this.#scope;
    const { progress } = scope;
    if (!this.#isApproved(item)) this.#notifier.take(item);
    this.#tellTrouble(item);
    if ('seq' in item && !this.#isDue(item)) this.#print(item);
    take(progress, item);
    if ('seq' in item && item.path === undefined) this.#follow(item);
    if (progress.children.size !== scope.session.agents.length)
      scope.session = { ...scope.session, agents: [...progress.children.keys()] };
    this.#terminal.refresh();
  }

  /** A gate's lines are printed once a state lists it, so that keys answer the gate on the screen. */
  #isDue(event: JournalEvent & OfAgent): boolean {
    const { progress, states } = this.#scope;
    if (event.type === 'gate_closed') this.#printGates(({ gateId }) => gateId === event.gateId);
    if (event.type !== 'gate_opened') return false;
    if (progress.state?.gates.some(({ id }) => id === event.gateId)) return false;
    this.#gatesDue.push({ event, asked: states.asked });
    return true;
  }

  #printGates(isTold: (event: GateEvent, asked: number) => boolean): void {
    const due = this.#gatesDue;
    this.#gatesDue = due.filter(({ event, asked }) => !isTold(event, asked));
    for (const { event, asked } of due) if (isTold(event, asked)) this.#print(event);
  }

  /** Prints an event as it scrolls by, using the view of the run before it. */
  #print(event: JournalEvent & OfAgent): void {
    const { path } = event;
    const { progress, scrollback, reader } = this.#scope;
    scrollback.print(scrollLines(this.#clock.shown(event), progress, scrollback.page));
    const { calls } = (path === undefined ? progress : progress.children.get(path)) ?? progress;
    if (event.type === 'model_call_ended') reader.note(event, calls.get(event.callId)?.form);
    // A sub-agent has a conversation of its own, so its tool results are not opened here.
    if (event.type === 'tool_call_ended' && path === undefined) reader.note(event, undefined);
  }

  #tellTrouble(item: RunEvent): void {
    const who = item.path === undefined ? '' : `${item.path} › `;
    if (item.type === 'notice') this.#scope.scrollback.tell([`${who}${item.text}`]);
    if (item.type === 'retry')
      this.#scope.scrollback.tell([`      ${who}attempt ${item.attempt}, since: ${item.message}`]);
  }

  /** A gate that `/yes` answers is not printed. */
  #isApproved(item: RunEvent): boolean {
    return this.#scope.session.yes && item.type === 'gate_opened' && takesYes(item);
  }

  #follow(event: JournalEvent): void {
    const scope = this.#scope;
    const { idle } = scope.progress;
    if (event.type === 'goal_ended') this.#answersDue.push(event.number);
    if (event.type === 'gate_closed')
      this.#actions.setGates(scope.session.gates.filter(gate => gate.id !== event.gateId));
    if (event.type === 'resumed') scope.session = { ...scope.session, held: false };
    if (scope.session.idle !== idle) scope.session = { ...scope.session, idle };
    if (TELLING.includes(event.type)) scope.states.read();
  }

  #key(key: Key): void {
    const scope = this.#scope;
    if (this.#actions.finishing && key.ctrl && key.name === 'c') return void scope.left.abort();
    if (scope.reader.isOpen) return void scope.reader.key(key);
    const { session, effects } = onKey(scope.session, key, Date.now());
    scope.session = session;
    for (const effect of effects) this.#actions.carryOut(effect);
  }

  #takeState(state: RunView, asked: number): void {
    const scope = this.#scope;
    scope.progress.state = state;
    takeState(scope.progress, { ...state, lastEventSeq: state.internals.lastEventSeq });
    scope.session = { ...scope.session, words: sessionWords(state.language) };
    // A gate that a later query does not list has closed.
    this.#printGates(({ gateId }, before) => asked > before || state.gates.some(gate => gate.id === gateId));
    this.#actions.setGates(state.gates, asked);
    void this.#readInputs(state.gates);
    for (const number of this.#answersDue.splice(0)) {
      const goal = state.goals.find(candidate => candidate.number === number);
      if (goal) scope.scrollback.answer(goal.answer, goalEndLine(goal));
    }
    this.#terminal.refresh();
  }

  /** Loads the complete arguments of a gate's call before a person views or edits them. */
  async #readInputs(gates: readonly Gate[]): Promise<void> {
    const scope = this.#scope;
    for (const gate of gates.filter(({ id }) => !(id in scope.session.inputs))) {
      const input = await scope.run.inputOf(gate);
      if (input !== null)
        scope.session = { ...scope.session, inputs: { ...scope.session.inputs, [gate.id]: input } };
    }
  }

  async #detached(): Promise<number> {
    const { run, owned, session, progress } = this.#scope;
    const { gates, idle } = session;
    const { notes } = this.#context.output;
    const unsent = await this.#actions.letGo();
    this.close();
    for (const text of unsent) notes.line(`Not sent: ${text}`);
    await this.#actions.endWhenAnswered();
    const waiting = gates.length + this.#gatesDue.length > 0;
    const left = { id: run.id, owned, idle, paused: progress.paused, waiting };
    for (const line of farewellLines(left)) notes.line(line);
    return idle ? EXIT.ok : EXIT.cancelled;
  }

  #area(): string[] {
    const { session, progress, reader, scrollback } = this.#scope;
    const [gate] = session.gates;
    if (reader.isOpen) return reader.area(gate ? `${gate.id} waits for your answer` : '');
    const [columns, rows, now] = [this.#terminal.columns(), this.#terminal.rows(), Date.now()];
    this.#scope.session = drawn(session, now);
    return liveArea(progress, session, { columns, rows, colors: scrollback.colors, now });
  }
}

// The lines that a session prints when a person leaves it. Pure.

export interface LeftRun {
  id: string;
  waiting: boolean;
  paused: boolean;
  idle: boolean;
  /** True if this session kept the run open. */
  owned: boolean;
}

/** Returns the run's state, then the commands that apply to it. */
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
