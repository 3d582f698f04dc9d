/** What a run knows of a role that it may call as a sub-agent. */

/** What an instruction must hold, by a role's front matter `requires`: it is looked for before a run is started. */
export const REQUIREMENTS = ['url'] as const;
export type Requirement = (typeof REQUIREMENTS)[number];

/** A run has agents, and they have agents of their own; those have none. */
export const MOST_AGENT_DEPTH = 2;

/** What is known of a role that may be called, before it is: pinned in the run that may call it. */
export interface AgentCard {
  /** Of its role. */
  name: string;
  description: string;
  requires: Requirement[];
  /** What it has besides its tools, in short names: told to who may call it. Absent for nothing. */
  capabilities?: string[];
  /** Names of the roles that it may call itself, and they. Absent for none. */
  calls?: string[];
  /** Its role may only look. Absent for false. */
  readOnly?: true;
}
