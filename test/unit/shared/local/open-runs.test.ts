import { expect, test } from 'vitest';
import { openRunsOf } from '../../../../src/shared/local/open-runs.js';

test("the open runs of a queue: a ' in its name → the server reads it as part of the name", () => {
  expect(openRunsOf("o'hara")).toMatch(/ AND TaskQueue = 'o''hara'$/);
});
