/** Keeps worker logs out of test reports, save those that explain why a test hangs. */
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';

/** A run whose workflow code throws waits for a fix for ever: without this line a test only times out. */
const TELLING = /workflow task|nondeterminis/i;

let installed = false;

/** Call it before anything else of Temporal is made. A process that has its runtime already keeps it. */
export function quietTemporal(): void {
  if (installed) return;
  installed = true;
  try {
    Runtime.install({
      logger: new DefaultLogger('WARN', show),
      telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

const shown = new Set<string>();

/** Each failure once: a workflow task that fails is tried again and again. */
function show({ level, message, meta }: LogEntry): void {
  if (level !== 'ERROR' && !TELLING.test(message)) return;
  const line = `${message} ${String(meta?.failure ?? meta?.error ?? '')}`;
  if (shown.has(line)) return;
  shown.add(line);
  console.error(level, line);
}
