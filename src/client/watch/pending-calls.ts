/** What `describe()` tells of the activities that run: live text and retries. */
import { arrayFromPayloads } from '@temporalio/common';
import type { SteersmanActivities } from '../../activities/types.js';
import type { LiveText, ToolProgress } from '../../core/limits/heartbeats.js';
import { isRecord } from '../../core/text/json.js';
import type { Temporal } from '../connect.js';
import type { RunDescription } from '../run/runs.js';

const CALL_MODEL: keyof SteersmanActivities = 'steersmanCallModel';
const CALL_TOOL: keyof SteersmanActivities = 'steersmanCallTool';

/** An activity that failed and is tried again. */
export interface Retry {
  activityId: string;
  activityType: string;
  /** The attempt that is running or due, from 2. */
  attempt: number;
  /** 0 for no limit. */
  maximumAttempts: number;
  message: string;
}

/** The live text of the model calls in flight, newest heartbeat each. */
export async function liveTexts(temporal: Temporal, run: RunDescription): Promise<LiveText[]> {
  return (await heartbeats(temporal, run, CALL_MODEL)).filter(isLiveText);
}

/** How far the tool calls in flight are, where their servers tell it. */
export async function toolProgress(temporal: Temporal, run: RunDescription): Promise<ToolProgress[]> {
  return (await heartbeats(temporal, run, CALL_TOOL)).filter(isToolProgress);
}

async function heartbeats({ client }: Temporal, run: RunDescription, type: string): Promise<unknown[]> {
  const { payloadConverter, payloadCodecs } = client.options.loadedDataConverter;
  const calls = (run.raw.pendingActivities ?? []).filter(({ activityType }) => activityType?.name === type);
  const details = calls.map(async ({ heartbeatDetails }) => {
    let payloads = heartbeatDetails?.payloads ?? [];
    for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
    return arrayFromPayloads(payloadConverter, payloads)[0];
  });
  return Promise.all(details);
}

/** Activities that are being tried again. */
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

function isToolProgress(value: unknown): value is ToolProgress {
  return (
    isRecord(value) &&
    typeof value.callId === 'string' &&
    typeof value.tool === 'string' &&
    (typeof value.progress === 'number' || typeof value.message === 'string')
  );
}

function isLiveText(value: unknown): value is LiveText {
  return (
    isRecord(value) &&
    typeof value.callId === 'string' &&
    typeof value.attempt === 'number' &&
    typeof value.channel === 'string' &&
    typeof value.offset === 'number' &&
    typeof value.tail === 'string'
  );
}
