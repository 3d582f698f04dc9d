/**
 * How large each part of a run's state can become, as JSON in UTF-8 (L20): continue-as-new carries it as one input, and
 * over 2 MB its task fails again and again. A bound is kept where its part is written; threads get what others leave.
 */
/** What the server takes as one payload. */
export const PAYLOAD_BYTES = 2_097_152;

/** One message to a run. */
export const MESSAGE_BYTES = 64_000;
/** A text in a thread, with its quotes; what is longer is kept by reference. */
export const TEXT_BYTES = MESSAGE_BYTES + 200;
/** The text of a reply that is read whole, where the thread has only a part of it: it travels once. */
export const WHOLE_REPLY_BYTES = 400_000;
/** What a tool result gives, encoded; and with its quotes and the run's note, which is what a thread keeps. */
export const CONTENT_BYTES = 65_536;
export const RESULT_BYTES = CONTENT_BYTES + 6_464;
/** One reply of a model: texts, reasoning and the arguments of its calls. */
export const REPLY_BYTES = 160_000;

/** The texts of a goal where it is said again: the conversation has it whole. */
export const GOAL_TEXT_BYTES = 16_000;
/** One thing that a person said meanwhile, and all of them; how a role read the last that changed the plan. */
export const USER_NOTE_BYTES = 2_000;
export const USER_NOTES_BYTES = 8_000;
export const READING_BYTES = 4_000;
/** An answer, and the verifier's summary that may become one. */
export const ANSWER_BYTES = 48_000;
/** The first calls of a plan of one task. */
export const BEGIN_BYTES = 4_000;
/** What the planner is told to mend. */
export const IMPROVEMENTS_BYTES = 16_000;
/** What of a goal is impossible here, with why. */
export const EXCEPTIONS_BYTES = 2_000;
/** Goals that have ended: the oldest lose their answers first. */
export const GOALS_BYTES = ANSWER_BYTES + 20_000;
/** An answer of a goal that another has followed. */
export const OLD_ANSWER_BYTES = 4_000;

/** One report of a task; and all of them, of which the oldest are kept by reference. */
export const REPORT_BYTES = 80_000;
export const REPORTS_BYTES = 88_000;
/** What the tasks say besides their reports. */
export const PLAN_BYTES = 56_000;
/** The run's instruction to a role: the verifier's has all reports whole, and the evidence. */
export const INSTRUCTION_TEXT_BYTES = REPORTS_BYTES + 72_000;

/** One input to a run in flight; what is larger is not looked into. */
export const INPUT_BYTES = 200_000;
/** What is told back of an input, and why something is so: a refusal, a reason. */
export const TOLD_BYTES = 4_000;
/** Characters of an id, and of the way from agent to agent. */
export const LONGEST_ID = 1_000;

export const EVENT_BYTES = 24_000;
export const JOURNAL_BYTES = 95_000;
/** Messages that were shortened before they were kept. */
export const UNKEPT_BYTES = 40_000;
export const STEP_BYTES = 8_000;
export const TRACE_BYTES = 62_000;
/** Steps above this go to the blob store, at the next safe point. */
export const TRACE_SHELVED_ABOVE = 48_000;
/** Names of tools in totals, ledger and permissions. */
export const MOST_TOOLS_COUNTED = 150;

/** All messages that wait or are being understood. */
export const MESSAGES_BYTES = 100_000;
export const SEEN_IDS_BYTES = 30_000;
export const TAKEN_BACK_BYTES = 5_000;

/** A gate with its body; all open ones; what is left to a gate where they take all. */
export const GATE_BYTES = 20_000;
export const GATES_BYTES = 64_000;
export const LEAST_GATE_BYTES = 1_200;
/** An answer at a gate; and all that wait to be read besides the one that the run waits for. */
export const GATE_ANSWER_BYTES = 48_000;
export const OTHER_ANSWERS_BYTES = 32_000;

/** Arguments that people edited for one batch of calls. */
export const EDITED_BYTES = 48_000;
export const QUESTION_BYTES = 8_000;
export const FAILURE_BYTES = 4_000;

/** What a role says about a message, or when it is consulted; what an envelope says beside its output. */
export const OPINION_BYTES = 16_000;
export const INSTRUCTION_BYTES = 48_000;
export const CONCERNS_BYTES = 8_000;

/** What a sub-agent has done, for its caller: the oldest goes first. */
export const EFFECTS_BYTES = 3_000;
/** What a goal keeps of the files that it wrote and of its calls. */
export const EVIDENCE_BYTES = 16_000;
/** What was looked up of them before a verdict. */
export const LOOKED_BYTES = 32_000;
/** Sub-agents of a run: the oldest that have ended go first. */
export const CHILDREN_BYTES = 6_000;

/** Checks that one source gives; what came of them; and what a planner proposed and a person approved. */
export const CHECKS_BYTES = 16_000;
export const CHECK_RESULTS_BYTES = 8_000;
export const APPROVED_CHECKS_BYTES = 2_000;

export const SETTINGS_BYTES = 52_000;
/** Of what a run knows of models for its sub-agents: those that a person chose, and those that are out. */
export const CHOSEN_BYTES = 3_100;
export const OUT_BYTES = 1_500;
export const KNOWN_MODELS_BYTES = CHOSEN_BYTES + OUT_BYTES + 100;
export const PINNED_BYTES = 300_000;
export const LEDGER_BYTES = 55_000;
/** Sessions with stateful tool servers: some twenty. */
export const SESSIONS_BYTES = 4_000;
/** What all features keep together, in their slices. */
export const FEATURES_BYTES = 24_600;
/** The inventory of artifacts: their contents are in the blob store. */
export const ARTIFACTS_BYTES = 12_000;

/**
 * Tries of what only some workers of a queue can do: where half of them can, all tries miss once in 2,000 times. Also of what
 * says itself when it has failed: so many workers in a row may die in it, or stand still.
 */
export const WORKER_TRIES = 12;
