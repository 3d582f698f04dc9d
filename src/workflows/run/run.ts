/**
 * A run on one of its lines of work: its state and ports, and the operations that loops and modes share. Programs use the
 * handle of `client/run/run-handle.ts`.
 */

import { USER_NOTE_BYTES } from '../../base/sizes/bounds.js';
import { sizeOf } from '../../base/sizes/sizes.js';
import { fitsText } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { fill, type Words, wordsOf } from '../../base/words/words.js';
import { fitMessage } from '../../conversation/fit-message.js';
import { limitsOf } from '../../rules/limits/in-force.js';
import { isPaused, openChildren } from '../../run/agents/children.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { behavesAs, type PinnedRun } from '../../run/agents/run-config.js';
import type { Limits } from '../../run/limits/limits.js';
import { estimateMessageTokens } from '../../run/limits/tokens.js';
import {
  type Message,
  type Purpose,
  rulesOf,
  type TextBlock,
  type UserMessage,
} from '../../run/messages/message.js';
import type { Task } from '../../run/plan/plan.js';
import type { Interrupt, Position } from '../../run/position/position.js';
import { type Cursor, isAmidCalls } from '../../run/state/cursor.js';
import { withUserNote } from '../../run/state/goal.js';
import { type JournalPayloads, type JournalType, record } from '../../run/state/journal.js';
import type { RunState } from '../../run/state/run-state.js';
import { MAIN_THREAD, type Thread } from '../../run/state/thread.js';
import { forgetDoubtful } from '../../run/tools/ledger.js';
import type { Feature } from '../beside/feature.js';
import { type Line, MainLine } from './line.js';
import { type CallInFlight, newMemory, type RunMemory } from './memory.js';
import type { CallOptions, Ports } from './ports.js';

/** Most of a question that is kept with its answer. */
const ASKED_CHARS = 300;
/** Most different warnings of a goal; each is reported once. */
const MOST_WARNED = 30;

/** Returned by a step that does not end the goal: the position has changed, and the run continues there. */
export const MOVED = 'moved';
export type Moved = typeof MOVED;

/**
 * Thrown when a run leaves a gate to hear a message, or a branch yields to the whole run. The position is entered again
 * afterwards, as after continue-as-new: see "How does code leave a position?" in docs/decisions.md.
 */
export class Yielded {}

export class Run {
  readonly state: RunState;
  readonly ports: Ports;
  readonly memory: RunMemory;
  readonly features: readonly Feature<Run>[];
  /** The line of work of this object; all lines of a run share its state, ports and memory. */
  readonly line: Line;

  constructor(
    state: RunState,
    ports: Ports,
    features: readonly Feature<Run>[] = [],
    memory: RunMemory = newMemory(),
    lineOf: (run: Run) => Line = run => new MainLine(run),
  ) {
    this.state = state;
    this.ports = ports;
    this.features = features;
    this.memory = memory;
    this.line = lineOf(this);
  }

  /** The position of this line; `state.cursor` is the position of the main line. */
  get cursor(): Cursor {
    return this.line.cursor;
  }

  get pinned(): PinnedRun {
    if (this.state.pinned === null) throw new Error('the run is not loaded yet');
    return this.state.pinned;
  }

  /** True if the run began with this behaviour, or a later one: see `BEHAVIOUR`. */
  behaves(version: number): boolean {
    return behavesAs(this.pinned, version);
  }

  /** The limits in force: see `setLimits`. */
  get limits(): Limits {
    return limitsOf(this.state);
  }

  /** The first call in flight (parallel tools or tasks have several). It is interruptible if any of them is. */
  get inFlight(): CallInFlight | null {
    const [first] = this.memory.calls;
    const interruptible = [...this.memory.calls].some(call => call.interruptible);
    return first ? { ...first, interruptible } : null;
  }

  role(name: string): PinnedRole {
    const role = this.pinned.roles[name];
    if (!role) throw new Error(`no role ${name} among ${Object.keys(this.pinned.roles).join(', ')}`);
    return role;
  }

  journal<T extends JournalType>(type: T, payload: JournalPayloads[T]): void {
    const { taskId } = this.line;
    const withTask = taskId === null ? payload : { taskId, ...payload };
    record(this.state.log.journal, this.ports.now(), type, withTask);
  }

  /** Warns once a goal about the same thing. After `MOST_WARNED` warnings, further ones are dropped. */
  warnOnce(about: string, text: string): void {
    const { warned } = this.state.goal;
    if (warned.includes(about) || warned.length >= MOST_WARNED) return;
    warned.push(about);
    this.journal('warning', { text });
  }

  /** Returns a new id, the same in every replay. */
  nextId(prefix: 'm' | 'c' | 'g' | 's'): string {
    this.state.lastId += 1;
    return `${prefix}${this.state.lastId}`;
  }

  /** Returns the thread a role reads and writes: the shared one, or its own (Y2). */
  threadOf(role: PinnedRole): Thread {
    // No other role may write between tool calls and their results, even if it shares its memory.
    const shares = role.memory === 'shared' && !isAmidCalls(this.cursor);
    return this.thread(shares ? MAIN_THREAD : role.name);
  }

  mainThread(): Thread {
    return this.thread(MAIN_THREAD);
  }

  thread(id: string): Thread {
    return this.line.thread(id);
  }

  append<M extends Message>(thread: Thread, message: M): M {
    const fitted = fitMessage(message);
    thread.messages.push(fitted);
    if (this.state.pinned?.keeps) this.memory.saidBytes += sizeOf(fitted);
    thread.tokens += estimateMessageTokens(fitted);
    return fitted;
  }

  /** The texts of the run, in its language. */
  get words(): Words {
    return wordsOf(this.state);
  }

  say(
    thread: Thread,
    purpose: Purpose,
    text: string,
    about: Pick<UserMessage, 'role' | 'taskId' | 'replaces' | 'standsFor' | 'pictures'> = {},
  ): UserMessage {
    const content: TextBlock[] = [{ type: 'text', text }];
    const base = { id: this.nextId('m'), at: this.ports.now(), kind: 'user' as const, purpose, content };
    const message = this.append<UserMessage>(thread, { ...base, ...about });
    // A person's message may mean that things have changed, so earlier reads are not reused.
    if (rulesOf(purpose).ofPerson) this.doubtReads();
    return message;
  }

  changeTask(id: string, change: Partial<Task>): void {
    const { state } = this;
    state.tasks = state.tasks.map(task => (task.id === id ? { ...task, ...change } : task));
  }

  /** Stores a person's words as a part of the goal. `question`: what they answer, without which they may say nothing. */
  wish(text: string, question?: string): void {
    const { goal } = this.state;
    const asked = question === undefined ? null : preview(question, ASKED_CHARS);
    const note = asked === null ? text : fill(this.words.userAnswer, { question: asked, answer: text });
    // A question must not cost words of the answer. A long answer can be understood without it.
    const isLong = !fitsText(note, USER_NOTE_BYTES);
    goal.userNotes = withUserNote(goal.userNotes, isLong ? text : note);
  }

  /** Adds a person's words to the goal, and to the role's conversation, which has the question. */
  tellRole(role: string, text: string, question?: string): void {
    this.wish(text, question);
    this.say(this.threadOf(this.role(role)), 'steer', text);
  }

  /** Invalidates the cached reads, except lasting ones. */
  doubtReads(): void {
    forgetDoubtful(this.state.tools.ledger);
    this.memory.changes += 1;
  }

  /** Makes a call. All calls go through here, so that handlers see them. A failure is returned; a throw ends the run. */
  call<T>(
    what: Omit<CallInFlight, 'interruptible'>,
    { interruptible }: CallOptions,
    start: () => Promise<T>,
  ): Promise<T> {
    const call = { ...what, interruptible };
    const { calls } = this.memory;
    calls.add(call);
    this.keepTime();
    return start().then(called => {
      calls.delete(call);
      if (calls.size === 0) this.stopWaiting();
      this.keepTime();
      return called;
    });
  }

  moveTo(position: Position): Moved {
    this.cursor.position = position;
    this.show();
    return MOVED;
  }

  /** Begins a phase at this position. */
  enter(position: Position): Moved {
    this.moveTo(position);
    this.journal('phase_started', { phase: position.phase, cycle: position.cycle });
    return MOVED;
  }

  /** Interrupts the mode; it continues in the same place afterwards. */
  interrupt(by: Interrupt): void {
    this.cursor.interrupts.push(by);
    this.show();
  }

  /** Ends the interrupt: the run returns to the position that it interrupted. */
  goBack(): Moved {
    this.cursor.interrupts.pop();
    this.show();
    return MOVED;
  }

  show(): void {
    const sections = this.features.flatMap(feature => feature.status?.(this.state) ?? []);
    this.ports.show(this.state, sections);
  }

  /** True if a feature has something in flight outside the loop, which must end in the part in which it began. */
  get isBusy(): boolean {
    return this.features.some(feature => feature.isBusy?.(this) === true);
  }

  /** Resumes the goal's clock. */
  stopWaiting(): void {
    const { goal } = this.state;
    if (goal.waitingSince === null) return;
    goal.waitedMs += this.ports.now() - goal.waitingSince;
    goal.waitingSince = null;
  }

  /** Stops the goal's clock while all calls in flight wait for a person. Called whenever that may change. */
  keepTime(): void {
    const { people, children, goal } = this.state;
    const inFlight = this.memory.calls.size;
    if (inFlight === 0) return;
    const open = people.gates.filter(({ answer }) => answer === null);
    const asks = (id: string) => open.some(({ agent }) => agent?.id === id);
    const agents = openChildren(children).filter(({ id }) => isPaused(children, id) || asks(id));
    const waiting = this.features.reduce(
      (sum, feature) => sum + (feature.callsWaiting?.(this) ?? 0),
      agents.length,
    );
    if (waiting >= inFlight) goal.waitingSince ??= this.ports.now();
    else this.stopWaiting();
  }
}
