/** A Temporal server for tests. */

import { NO_HTTP_API, temporalBinary } from '@steersman/stack';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from 'steersman/rules';
import { env, resolveHome } from 'steersman/shared';

export interface TestEnvironmentOptions {
  /**
   * Waits for people and other timers pass at once while a result is awaited: by Temporal's test server, which is
   * that of `TEMPORAL_TEST_SERVER_PATH`, else downloaded by the SDK. One run at a time. Default false: a whole server
   * in memory, by the Temporal CLI that is found or fetched.
   */
  skipTime?: boolean;
}

/** Starts one; `teardown()` ends it. One is enough for all tests of a process. */
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

/** Workers say each step of their lives, which no report of tests is for. Whoever has set a logger keeps it. */
function quietWorkers(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('WARN') });
  } catch {
    // There is one already.
  }
}
