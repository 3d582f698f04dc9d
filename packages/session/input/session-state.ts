/** The state of a session's input: typed text, open gates, and the effects of keys. The types of `on-key.ts`. Pure. */

import type { Gate, SteerTime, Task, ToolInput } from 'steersman/client';
import { EMPTY_LINE, type Line, withText } from './line-editor.js';
import type { PromptMenu } from './prompt-line.js';
import { ENGLISH, type SessionWords } from './words.js';

export type Stage =
  | { kind: 'compose' }
  /** Ctrl-C was pressed: the person chooses to stop, detach, or go on. */
  | { kind: 'leave' }
  /** The line is the reason for a refusal. */
  | { kind: 'reason'; gateId: string }
  /**
   * Enter asked the person to confirm the line: it looks like an answer although no gate is open, or was begun before
   * the gate.
   */
  | { kind: 'sure' }
  /** The line contains the arguments or the tasks, as YAML; `text`: the YAML before editing. */
  | { kind: 'edit'; gateId: string; text: string };

export type TaskLine = Pick<Task, 'id' | 'description'>;

export interface SessionState {
  line: Line;
  stage: Stage;
  /** Open gates, oldest first; the person answers the first. */
  gates: Gate[];
  /** Tasks that have not begun, for editing a plan. */
  tasks: TaskLine[];
  /** All arguments of the calls that gates are about, by gate id, as far as they are loaded. */
  inputs: Record<string, ToolInput>;
  /** When the first gate was first drawn, in ms, or null: keys typed before a person could read it are ignored. */
  gateSince: number | null;
  /** The line was begun before the question of the first gate was shown. */
  early: boolean;
  editor: boolean;
  /** The goal is answered, and the run is open for the next goal. */
  idle: boolean;
  /** Esc interrupted the run: it waits for the person's next message. */
  held: boolean;
  /** While the session is open, every gate that takes a yes is approved at once. */
  yes: boolean;
  /** The completion list for the word at the cursor, while it is shown. */
  menu: Menu | null;
  /** Files and folders of the workspace; null until an `@` has requested them. */
  files: readonly string[] | null;
  /** Tool servers and their prompts, as far as they are known. */
  prompts: PromptMenu;
  agents: readonly string[];
  words: SessionWords;
}

export interface Choice {
  text: string;
  note: string;
}

export interface Completion {
  kind: 'command' | 'argument' | 'file';
  /** The part of the line that a choice replaces. */
  from: number;
  to: number;
  choices: Choice[];
}

export interface Menu {
  completion: Completion;
  at: number;
  /** The person has marked a choice: Enter takes it. */
  moved: boolean;
}

export type Look = 'gates' | 'plan' | 'budget' | 'model' | 'help';

export type Effect =
  | { do: 'steer'; text: string; when: SteerTime; to?: string }
  | { do: 'follow-up'; text: string }
  | { do: 'answer'; gate: Gate; input: Record<string, unknown> }
  | { do: 'take-back' }
  | { do: 'view'; gate: Gate }
  | { do: 'edit'; gate: Gate; text: string }
  /** Interrupts the run, and pauses it until the person's next message. */
  | { do: 'hold' }
  | { do: 'pause' | 'resume' | 'stop' }
  | { do: 'status' | 'detach' | 'finish' }
  | { do: 'look'; at: Look }
  | { do: 'open-last' }
  /** Shows the conversation; an empty thread means all threads. */
  | { do: 'transcript'; thread: string }
  | { do: 'add-task'; text: string }
  | { do: 'set-budget'; words: string[] }
  /** Changes the model of all roles if no role is named. */
  | { do: 'set-model'; model: string; role?: string }
  | { do: 'list-files' }
  /** Loads the prompts of a tool server; or, for null, the names of the servers. */
  | { do: 'list-prompts'; server: string | null }
  /** Puts the text of a prompt into the line; `typed` is the line that called it. */
  | { do: 'prompt'; prompt: string; words: string[]; typed: string }
  /** Lines for the person, not for the run. */
  | { do: 'say'; lines: string[] };

export type EffectOf<D extends Effect['do']> = Effect & { do: D };

export interface Step {
  session: SessionState;
  effects: Effect[];
}

export const NEW_SESSION: SessionState = {
  line: EMPTY_LINE,
  stage: { kind: 'compose' },
  gates: [],
  tasks: [],
  inputs: {},
  gateSince: null,
  early: false,
  editor: false,
  idle: false,
  held: false,
  yes: false,
  menu: null,
  files: null,
  prompts: {},
  agents: [],
  words: ENGLISH,
};

/** Sets the open gates. If the gate that a line was answering has closed, the line is cleared and is a message again. */
export function withGates(session: SessionState, gates: Gate[], tasks: TaskLine[]): SessionState {
  const [first] = gates;
  const same = first?.id === session.gates[0]?.id;
  const { stage } = session;
  const lost = 'gateId' in stage && stage.gateId !== first?.id;
  return {
    ...session,
    gates,
    tasks,
    inputs: Object.fromEntries(
      Object.entries(session.inputs).filter(([id]) => gates.some(gate => gate.id === id)),
    ),
    gateSince: same ? session.gateSince : null,
    early: first !== undefined && (same ? session.early : !lost && session.line.text !== ''),
    stage: lost ? { kind: 'compose' } : stage,
    line: lost ? withText(session.line, '') : session.line,
    menu: lost ? null : session.menu,
  };
}

/** Notes when the current gate was first drawn. */
export function drawn(session: SessionState, now: number): SessionState {
  return session.gates.length > 0 && session.gateSince === null ? { ...session, gateSince: now } : session;
}

/** Puts the text of a withdrawn message into the line; text that was begun meanwhile follows it. */
export function takenBack(session: SessionState, text: string): SessionState {
  const begun = session.line.text;
  return { ...session, line: withText(session.line, begun === '' ? text : `${text} ${begun}`), menu: null };
}

/** A message to a run that Esc paused also resumes it, after these effects. */
export function send(session: SessionState, ...effects: Effect[]): Step {
  return session.held
    ? { session: { ...session, held: false }, effects: [...effects, { do: 'resume' }] }
    : { session, effects };
}

/** Steers the running goal; if the run is idle, the text is the next goal. */
export function spoken(session: SessionState, text: string, when: SteerTime): Step {
  return send(session, session.idle ? { do: 'follow-up', text } : { do: 'steer', text, when });
}

export function say(...lines: string[]): Effect {
  return { do: 'say', lines };
}
