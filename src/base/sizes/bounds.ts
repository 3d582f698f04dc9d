/**
 * Limits for each part of a run's state, as JSON in UTF-8 (L20). Continue-as-new carries the state as one input, and
 * over 2 MB its task fails again and again. Each limit is enforced where its part is written; threads get the remaining
 * space.
 */
/** The server's limit for one payload. */
export const PAYLOAD_BYTES = 2_097_152;

/** One message to a run. */
export const MESSAGE_BYTES = 64_000;
/** A text in a thread, with its quotes; longer texts are stored by reference. */
export const TEXT_BYTES = MESSAGE_BYTES + 200;
/** The whole text of a reply, if the thread only stores a part; it is transferred once. */
export const WHOLE_REPLY_BYTES = 400_000;
/** A tool result's content, encoded. */
export const CONTENT_BYTES = 65_536;
/** A tool result as a thread stores it: its content with quotes, and the run's note. */
export const RESULT_BYTES = CONTENT_BYTES + 6_464;
/** One reply of a model: texts, reasoning and the arguments of its calls. */
export const REPLY_BYTES = 160_000;

/** A goal's text where it is repeated; the conversation has the whole text. */
export const GOAL_TEXT_BYTES = 16_000;
/** One note that a person sent during the goal. */
export const USER_NOTE_BYTES = 2_000;
/** All user notes of the goal. */
export const USER_NOTES_BYTES = 8_000;
/** A role's reading of the last message that changed the plan. */
export const READING_BYTES = 4_000;
/** An answer, and the verifier's summary that may become one. */
export const ANSWER_BYTES = 48_000;
/** The first calls of a plan with one task. */
export const BEGIN_BYTES = 4_000;
/** The improvements that the planner is asked for. */
export const IMPROVEMENTS_BYTES = 16_000;
/** Parts of a goal that are impossible here, with reasons. */
export const EXCEPTIONS_BYTES = 2_000;
/** Goals that have ended; the oldest lose their answers first. */
export const GOALS_BYTES = ANSWER_BYTES + 20_000;
/** The answer of a goal that was followed by another one. */
export const OLD_ANSWER_BYTES = 4_000;

/** One report of a task. */
export const REPORT_BYTES = 80_000;
/** All reports: the oldest are stored by reference. */
export const REPORTS_BYTES = 88_000;
/** The plan's tasks without their reports. */
export const PLAN_BYTES = 56_000;
/** The run's instruction to a role; the verifier's contains all reports and the evidence. */
export const INSTRUCTION_TEXT_BYTES = REPORTS_BYTES + 72_000;

/** One input to a running run; larger inputs are refused unread. */
export const INPUT_BYTES = 200_000;
/** A text about an input, such as a refusal or a reason. */
export const TOLD_BYTES = 4_000;
/** Characters of an id, and of the path from agent to agent. */
export const LONGEST_ID = 1_000;

export const EVENT_BYTES = 24_000;
/** The journal, from which the trace is read: about a hundred steps. To enlarge another part, make this one smaller first. */
export const JOURNAL_BYTES = 152_000;
/** Messages that were shortened before they were stored. */
export const UNKEPT_BYTES = 40_000;
/** The latest steps in a result. */
export const TRACE_BYTES = 62_000;
/** Names of tools in totals, ledger and permissions. */
export const MOST_TOOLS_COUNTED = 150;

/** All messages that wait or are being interpreted. */
export const MESSAGES_BYTES = 100_000;
export const SEEN_IDS_BYTES = 30_000;
export const TAKEN_BACK_BYTES = 5_000;

/** A gate with its body. */
export const GATE_BYTES = 20_000;
/** All open gates. */
export const GATES_BYTES = 64_000;
/** The least space that a gate gets. */
export const LEAST_GATE_BYTES = 1_200;
/** An answer at a gate. */
export const GATE_ANSWER_BYTES = 48_000;
/** All answers that arrive before their turn, besides the one that the run waits for. */
export const OTHER_ANSWERS_BYTES = 32_000;

/** Arguments that people edited for one batch of calls. */
export const EDITED_BYTES = 48_000;
export const QUESTION_BYTES = 8_000;
export const FAILURE_BYTES = 4_000;

/** A role's statement about a message or in a consultation, and an envelope's content apart from its output. */
export const OPINION_BYTES = 16_000;
export const INSTRUCTION_BYTES = 48_000;
export const CONCERNS_BYTES = 8_000;

/** The effects of a sub-agent, reported to its caller; the oldest are dropped first. */
export const EFFECTS_BYTES = 3_000;
/** Facts about a goal's files and calls that were looked up before a verdict. */
export const LOOKED_BYTES = 32_000;
/** Sub-agents of a run; the oldest that have ended are dropped first. */
export const CHILDREN_BYTES = 6_000;

/** Checks from one source. */
export const CHECKS_BYTES = 16_000;
/** The results of checks. */
export const CHECK_RESULTS_BYTES = 6_500;
/** The results from before the first change. */
export const CHECKS_BEFORE_BYTES = 1_500;
/** Checks that a planner proposed and a person approved. */
export const APPROVED_CHECKS_BYTES = 2_000;

export const SETTINGS_BYTES = 52_000;
/** The schema of a typed answer. */
export const ANSWER_SCHEMA_BYTES = 16_000;
/** The value of a typed answer, which the record of its goal has in addition to the answer. */
export const TYPED_VALUE_BYTES = 32_000;
/** Models that a person chose, as a run reports them to its sub-agents. */
export const CHOSEN_BYTES = 3_100;
/** Models that are out, as a run reports them to its sub-agents. */
export const OUT_BYTES = 1_500;
export const KNOWN_MODELS_BYTES = CHOSEN_BYTES + OUT_BYTES + 100;
export const PINNED_BYTES = 300_000;
export const LEDGER_BYTES = 55_000;
/** Sessions with stateful tool servers, about twenty. */
export const SESSIONS_BYTES = 4_000;
/** The state of all features together, in their slices, with room for a new one. */
export const FEATURES_BYTES = 62_270;

/**
 * Attempts of work that only some workers of a queue can do: if half of them can, all attempts miss once in about 4,000
 * times. Activities that report their own final failure have as many attempts: this many workers in a row may die or
 * hang.
 */
export const WORKER_TRIES = 12;
