/** What a session knows of what is typed and asked, and what follows from a key: the types of `talk.ts`. Pure. */

import type { Gate, SteerTime, Task, ToolInput } from 'steersman/client';
import { EMPTY_LINE, type Line, withText } from './line-editor.js';
import type { PromptMenu } from './prompt-line.js';
import { ENGLISH, type SessionWords } from './words.js';

export type Stage =
  | { kind: 'compose' }
  /** Ctrl-C was pressed: stop, detach, or go on. */
  | { kind: 'leave' }
  /** The line is the reason for a refusal. */
  | { kind: 'reason'; gateId: string }
  /** Enter has asked whether the line is meant, for it reads as an answer to nothing, or was begun before the question. */
  | { kind: 'sure' }
  /** The line is the arguments or the tasks, as YAML; `text`: as it was before it was edited. */
  | { kind: 'edit'; gateId: string; text: string };

export type TaskLine = Pick<Task, 'id' | 'description'>;

export interface Talk {
  line: Line;
  stage: Stage;
  /** Open gates, oldest first; the first is asked. */
  gates: Gate[];
  /** Tasks that have not begun, for editing a plan. */
  tasks: TaskLine[];
  /** All arguments of the calls that gates are about, by gate, as far as they are known. */
  inputs: Record<string, ToolInput>;
  /** When the first gate was first drawn, milliseconds, or null: keys typed before a person could read it don't count. */
  gateSince: number | null;
  /** The line was begun before what the first gate asks was there. */
  early: boolean;
  editor: boolean;
  /** The goal is answered, and the run is open for the next. */
  idle: boolean;
  /** Esc has cut off what ran: the run waits for what is said next. */
  held: boolean;
  /** Whatever asks for a yes gets it at once, while the session is open. */
  yes: boolean;
  /** What the word at the cursor may become, while that is offered. */
  menu: Menu | null;
  /** Files and folders of the workspace; null until an `@` has asked for them. */
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
  /** The part of the line that a choice takes the place of. */
  from: number;
  to: number;
  choices: Choice[];
}

export interface Menu {
  completion: Completion;
  at: number;
  /** The person has marked it: Enter takes it. */
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
  /** Cuts off what runs, and holds the run for what is said next. */
  | { do: 'hold' }
  | { do: 'pause' | 'resume' | 'stop' }
  | { do: 'status' | 'detach' | 'finish' }
  | { do: 'look'; at: Look }
  | { do: 'open-last' }
  /** The conversation; an empty thread means all. */
  | { do: 'transcript'; thread: string }
  | { do: 'add-task'; text: string }
  | { do: 'set-budget'; words: string[] }
  /** Of all roles where none is named. */
  | { do: 'set-model'; model: string; role?: string }
  | { do: 'list-files' }
  /** The prompts of a tool server are to be known, or the names of those that there are. */
  | { do: 'list-prompts'; server: string | null }
  /** The text of a prompt is to be in the line; `typed` is how it was called. */
  | { do: 'prompt'; prompt: string; words: string[]; typed: string }
  /** Lines for the person, not for the run. */
  | { do: 'say'; lines: string[] };

export type EffectOf<D extends Effect['do']> = Effect & { do: D };

export interface Step {
  talk: Talk;
  effects: Effect[];
}

export const NEW_TALK: Talk = {
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

/** Takes the gates that are open now. A line that was begun for one that has closed is a message again. */
export function withGates(talk: Talk, gates: Gate[], tasks: TaskLine[]): Talk {
  const [first] = gates;
  const same = first?.id === talk.gates[0]?.id;
  const { stage } = talk;
  const lost = 'gateId' in stage && stage.gateId !== first?.id;
  return {
    ...talk,
    gates,
    tasks,
    inputs: Object.fromEntries(
      Object.entries(talk.inputs).filter(([id]) => gates.some(gate => gate.id === id)),
    ),
    gateSince: same ? talk.gateSince : null,
    early: first !== undefined && (same ? talk.early : !lost && talk.line.text !== ''),
    stage: lost ? { kind: 'compose' } : stage,
    line: lost ? withText(talk.line, '') : talk.line,
    menu: lost ? null : talk.menu,
  };
}

/** What is asked now stands on the screen. */
export function drawn(talk: Talk, now: number): Talk {
  return talk.gates.length > 0 && talk.gateSince === null ? { ...talk, gateSince: now } : talk;
}

/** The text of a message that was taken back, to be edited; a line begun meanwhile stays after it. */
export function takenBack(talk: Talk, text: string): Talk {
  const begun = talk.line.text;
  return { ...talk, line: withText(talk.line, begun === '' ? text : `${text} ${begun}`), menu: null };
}

/** What is said to a run that Esc holds lets it go on, in this order. */
export function said(talk: Talk, ...effects: Effect[]): Step {
  return talk.held
    ? { talk: { ...talk, held: false }, effects: [...effects, { do: 'resume' }] }
    : { talk, effects };
}

/** Said to the running goal; where it is answered, the next one. */
export function spoken(talk: Talk, text: string, when: SteerTime): Step {
  return said(talk, talk.idle ? { do: 'follow-up', text } : { do: 'steer', text, when });
}

export function say(...lines: string[]): Effect {
  return { do: 'say', lines };
}
