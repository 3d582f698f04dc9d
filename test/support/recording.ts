/** Names the folder to which histories of whole runs are recorded: see `scripts/freeze.mjs`. */
export const RECORD_TO = 'STEERSMAN_TEST_RECORD_TO';

/** Of a recording in which runs continue as new early: after so many events the server suggests it. */
const EVENTS = process.env.STEERSMAN_TEST_RECORD_PARTS;

/** Arguments of servers that suggest continue-as-new early; none by default. */
export const SUGGESTS_PARTS = EVENTS
  ? ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${EVENTS}`]
  : [];
