/** Reads live text and retries of running activities from `describe()`. */
import type { SteersmanActivities } from '../../activities/types.js';
import { isRecord } from '../../base/json/json.js';
import type { LiveText, ToolProgress } from '../../run/limits/heartbeats.js';
import { valuesIn } from '../../shared/temporal/temporal-client.js';
import type { Temporal } from '../connection/connect.js';
import type { RunDescription } from '../record/runs.js';

const CALL_MODEL: keyof SteersmanActivities = 'steersmanCallModel';
const CALL_TOOL: keyof SteersmanActivities = 'steersmanCallTool';

/** Heartbeats with progress have at least one of these fields. */
const TOLD = ['progress', 'message'] as const satisfies readonly (keyof ToolProgress)[];

/** An activity that failed and is retried. */
export interface Retry {
  activityId: string;
  activityType: string;
  /** The running or next attempt, at least 2. */
  attempt: number;
  /** 0 for no limit. */
  maximumAttempts: number;
  message: string;
}

/** Returns the live text of the model calls in flight, from the newest heartbeat of each. */
export async function liveTexts(temporal: Temporal, run: RunDescription): Promise<LiveText[]> {
  const beats = await heartbeats(temporal, run, CALL_MODEL);
  return beats.filter((beat): beat is LiveText => isRecord(beat) && typeof beat.tail === 'string');
}

/** Returns the progress of tool calls in flight, if their servers report it. */
export async function toolProgress(temporal: Temporal, run: RunDescription): Promise<ToolProgress[]> {
  const beats = await heartbeats(temporal, run, CALL_TOOL);
  return beats.filter((beat): beat is ToolProgress => isRecord(beat) && TOLD.some(name => name in beat));
}

async function heartbeats({ client }: Temporal, run: RunDescription, type: string): Promise<unknown[]> {
  const calls = (run.raw.pendingActivities ?? []).filter(({ activityType }) => activityType?.name === type);
  const details = calls.map(async ({ heartbeatDetails }) => {
    const [beat] = await valuesIn(client, heartbeatDetails?.payloads ?? []);
    return beat;
  });
  return Promise.all(details);
}

/** Returns activities that are being retried. */
export function retries(run: RunDescription): Retry[] {
  return (run.raw.pendingActivities ?? []).flatMap(({ lastFailure, attempt, ...activity }) =>
    lastFailure && attempt && attempt > 1
      ? [
          {
            activityId: activity.activityId ?? '',
            activityType: activity.activityType?.name ?? '',
            attempt,
            maximumAttempts: activity.maximumAttempts ?? 0,
            message: lastFailure.message ?? '',
          },
        ]
      : [],
  );
}
