/**
 * One run, on one of its lines of work: state and ports, with the few operations that loops and modes share. Programs
 * hold `client/run/run-handle.ts`.
 */

import { sizeOf } from '../../base/sizes/sizes.js';
import { type Words, wordsOf } from '../../base/words/words.js';
import { fitMessage } from '../../conversation/fit-message.js';
import { limitsOf } from '../../rules/limits/in-force.js';
import { isPaused, openChildren } from '../../run/agents/children.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { PinnedRun } from '../../run/agents/run-config.js';
import type { Limits } from '../../run/limits/limits.js';
import { estimateMessageTokens } from '../../run/limits/tokens.js';
import type { Message, TextBlock, UserMessage } from '../../run/messages/message.js';
import type { Task } from '../../run/plan/plan.js';
import type { Interrupt, Position } from '../../run/position/position.js';
import { type Cursor, isAmidCalls } from '../../run/state/cursor.js';
import { withUserNote } from '../../run/state/goal.js';
import { type JournalPayloads, type JournalType, record } from '../../run/state/journal.js';
import type { RunState } from '../../run/state/run-state.js';
import { MAIN_THREAD, type Thread } from '../../run/state/thread.js';
import { forgetAll } from '../../run/tools/ledger.js';
import type { Feature } from '../beside/feature.js';
import { type Line, MainLine } from './line.js';
import { type CallInFlight, newMemory, type RunMemory } from './memory.js';
import type { CallOptions, Ports } from './ports.js';

/** The beginning of a gate's key, if a tool server has opened the gate. */
export const FORM = 'form:';

/** Warnings of a goal that are told once each: a name takes little. */
const MOST_WARNED = 30;

/** What a step returns if it does not end the goal: the position has changed, and the run goes on there. */
export const MOVED = 'moved';
export type Moved = typeof MOVED;

/**
 * Thrown where a run leaves a gate to hear a message, or a branch gives way to the whole run. The position is entered
 * again afterwards, as after continue-as-new: see "How does code leave a position?" in docs/decisions.md.
 */
export class Yielded {}

export class Run {
  readonly state: RunState;
  readonly ports: Ports;
  readonly memory: RunMemory;
  /** What this run has beside its loop. */
  readonly features: readonly Feature<Run>[];
  /** The line of work that this is: all lines of a run have its state, ports and memory in common. */
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

  /** Where this line stands; `state.cursor` is where the main line does. */
  get cursor(): Cursor {
    return this.line.cursor;
  }

  get pinned(): PinnedRun {
    if (this.state.pinned === null) throw new Error('the run is not loaded yet');
    return this.state.pinned;
  }

  /** Whether the run began with this behaviour, or a later one: see `BEHAVIOUR`. */
  behaves(version: number): boolean {
    return (this.pinned.behaviour ?? 1) >= version;
  }

  /** In force: see `setLimits`. */
  get limits(): Limits {
    return limitsOf(this.state);
  }

  /** The first call in flight; of tools, or of tasks side by side, there may be several. Interruptible if any of them is. */
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
    const told = taskId === null ? payload : { taskId, ...payload };
    record(this.state.log.journal, this.ports.now(), type, told);
  }

  /** Once a goal, by what it is about; those that come after many others are not told. */
  warnOnce(about: string, text: string): void {
    const { warned } = this.state.goal;
    if (warned.includes(about) || warned.length >= MOST_WARNED) return;
    warned.push(about);
    this.journal('warning', { text });
  }

  /** A new id, the same in every replay. */
  nextId(prefix: 'm' | 'c' | 'g' | 's'): string {
    this.state.lastId += 1;
    return `${prefix}${this.state.lastId}`;
  }

  /** The thread a role reads and writes: the shared one, or its own (Y2). */
  threadOf(role: PinnedRole): Thread {
    // Between tool calls and their results nobody else may speak, be their memory shared or not.
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
    const kept = fitMessage(message);
    thread.messages.push(kept);
    if (this.state.pinned?.keeps) this.memory.saidBytes += sizeOf(kept);
    thread.tokens += estimateMessageTokens(kept);
    return kept;
  }

  /** What the run says, in its language. */
  get words(): Words {
    return wordsOf(this.state);
  }

  say(
    thread: Thread,
    purpose: UserMessage['purpose'],
    text: string,
    about: Pick<UserMessage, 'role' | 'taskId' | 'replaces' | 'standsFor'> = {},
  ): UserMessage {
    const content: TextBlock[] = [{ type: 'text', text }];
    const base = { id: this.nextId('m'), at: this.ports.now(), kind: 'user' as const, purpose, content };
    const message = this.append<UserMessage>(thread, { ...base, ...about });
    // What a person says may be that things have changed: nothing read before is taken for true.
    if (purpose === 'goal' || purpose === 'steer') this.doubtReads();
    return message;
  }

  changeTask(id: string, change: Partial<Task>): void {
    const { state } = this;
    state.tasks = state.tasks.map(task => (task.id === id ? { ...task, ...change } : task));
  }

  /** Keeps what a person said as a part of the goal. */
  wish(text: string): void {
    const { goal } = this.state;
    goal.userNotes = withUserNote(goal.userNotes, text);
  }

  /** What a person said to a role: a part of the goal, and of the role's conversation. */
  tellRole(role: string, text: string): void {
    this.wish(text);
    this.say(this.threadOf(this.role(role)), 'steer', text);
  }

  /** Nothing that was read before is taken for true. */
  doubtReads(): void {
    forgetAll(this.state.tools.ledger);
    this.memory.changes += 1;
  }

  /** The one way to make a call, so that handlers see it. Failures are given back; what is thrown ends the run. */
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

  /** Something comes in between: the mode goes on there. */
  interrupt(by: Interrupt): void {
    this.cursor.interrupts.push(by);
    this.show();
  }

  /** What came in between is settled: the run is back at what it interrupted. */
  goBack(): Moved {
    this.cursor.interrupts.pop();
    this.show();
    return MOVED;
  }

  show(): void {
    const sections = this.features.flatMap(feature => feature.status?.(this.state) ?? []);
    this.ports.show(this.state, sections);
  }

  /** Something of a feature is in flight beside the loop: it ends in the part in which it began. */
  get isBusy(): boolean {
    return this.features.some(feature => feature.isBusy?.(this) === true);
  }

  /** From here on the goal's time counts again. */
  stopWaiting(): void {
    const { goal } = this.state;
    if (goal.waitingSince === null) return;
    goal.waitedMs += this.ports.now() - goal.waitingSince;
    goal.waitingSince = null;
  }

  /** The goal's time stands still while all calls in flight wait for a person. Called whenever that may change. */
  keepTime(): void {
    const { people, children, goal } = this.state;
    const inFlight = this.memory.calls.size;
    if (inFlight === 0) return;
    const open = people.gates.filter(({ answer }) => answer === null);
    const asks = (id: string) => open.some(({ agent }) => agent?.id === id);
    const agents = openChildren(children).filter(({ id }) => isPaused(children, id) || asks(id));
    // One call may ask several things.
    const forms = open.flatMap(({ key, gate }) =>
      key.startsWith(FORM) && gate.kind === 'form' ? gate.subject.callId : [],
    );
    if (agents.length + new Set(forms).size >= inFlight) goal.waitingSince ??= this.ports.now();
    else this.stopWaiting();
  }
}
