/** Keeps worker logs out of test reports, save those that explain why a test hangs. */
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';

/** A run whose workflow code throws waits for a fix for ever: without this line a test only times out. */
const TELLING = /workflow task|nondeterminis/i;

let installed = false;

/** Call it before anything else of Temporal is made in this process; later calls do nothing. */
export function quietTemporal(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('WARN', show),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
  });
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
