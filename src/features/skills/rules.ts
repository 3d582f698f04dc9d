/** Skills: folders of instructions for kinds of work. A run pins them by digest, and one tool of its own reads them. */
import type { RunWords } from '../../base/words/words.js';
import type { JournalPayloads } from '../../run/state/journal.js';

declare module '../../run/agents/run-config.js' {
  interface PinnedRun {
    /** Digests of the skills that existed at the start, by name; absent if there were no skills. */
    skills?: PinnedSkills;
  }
}

export type PinnedSkills = Readonly<Record<string, string>>;

/** The run's tool. */
export const SKILL = 'skill';

/** The type of the activity on the wire. */
export const READ_SKILL = 'steersmanReadSkill';

export interface ReadSkillInput extends Pick<RunWords, 'language'> {
  callId: string;
  workspace: string;
  pinned: PinnedSkills;
  /** Small arguments of the call; larger ones are read by the query `toolRequest`. */
  arguments?: Record<string, unknown>;
}

/** `loaded`: the skill or file, for the journal; absent if nothing was read, or only a further page. */
export interface SkillRead {
  ending: 'executed' | 'denied';
  /** A note of the worker. */
  note: string;
  /** The text of the skill or file. */
  said?: string;
  /** Names of its files, and of its folder if that lies in the workspace. */
  listed?: { folder?: string; files: string[]; more?: number };
  isError: boolean;
  loaded?: JournalPayloads['skill_loaded'];
}
