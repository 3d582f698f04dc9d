/** A Temporal server for tests. */

import { NO_HTTP_API, temporalBinary } from '@steersman/stack';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from 'steersman/rules';
import { env, resolveHome } from 'steersman/shared';

export interface TestEnvironmentOptions {
  /**
   * Skips waits for people and other timers while a result is awaited. This needs Temporal's test server:
   * `TEMPORAL_TEST_SERVER_PATH` names it, otherwise the SDK downloads it. It serves one run at a time. Default false: a complete
   * server in memory, by the Temporal CLI that is found or fetched.
   */
  skipTime?: boolean;
}

/** Starts a server; `teardown()` ends it. All tests of a process can share one. */
export async function startTestEnvironment({
  skipTime = false,
}: TestEnvironmentOptions = {}): Promise<TestWorkflowEnvironment> {
  quietWorkers();
  if (skipTime) {
    const path = env.temporalTestServerPath();
    const executable = path === undefined ? {} : { executable: { type: 'existing-path' as const, path } };
    return TestWorkflowEnvironment.createTimeSkipping({ server: executable });
  }
  const { path } = await temporalBinary(resolveHome(), () => undefined);
  const attributes = SEARCH_ATTRIBUTES.flatMap(name => ['--search-attribute', `${name}=Keyword`]);
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: [...attributes, ...NO_HTTP_API],
      log: { format: 'pretty', level: 'never' },
    },
  });
}

/** Silences the information logs of workers, which would clutter test reports. An installed logger stays in use. */
function quietWorkers(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('WARN') });
  } catch {
    // The application has installed a runtime already.
  }
}
