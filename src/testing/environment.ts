/** A Temporal server for tests. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { SEARCH_ATTRIBUTES } from '../core/search-attributes.js';
import { resolveHome } from '../stack/home.js';
import { temporalBinary } from '../stack/temporal-fetch.js';

export interface TestEnvironmentOptions {
  /**
   * Waits for people and other timers pass at once while a result is awaited: Temporal's test server, which the SDK
   * downloads. Default false: a whole server in memory, by the Temporal CLI that is found or fetched.
   */
  skipTime?: boolean;
  /** Of the test server, with `skipTime`, where it can't be downloaded. */
  testServerPath?: string;
}

/** Starts one; `teardown()` ends it. One is enough for all tests of a process. */
export async function startTestEnvironment(
  options: TestEnvironmentOptions = {},
): Promise<TestWorkflowEnvironment> {
  const { skipTime = false, testServerPath } = options;
  if (skipTime) {
    const executable = testServerPath && { type: 'existing-path' as const, path: testServerPath };
    return TestWorkflowEnvironment.createTimeSkipping(executable ? { server: { executable } } : {});
  }
  const { path } = await temporalBinary(resolveHome(), () => undefined);
  const extraArgs = SEARCH_ATTRIBUTES.flatMap(name => ['--search-attribute', `${name}=Keyword`]);
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs,
      log: { format: 'pretty', level: 'never' },
    },
  });
}
