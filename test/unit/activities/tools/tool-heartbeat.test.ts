import { expect, it } from 'vitest';
import { startHeartbeat } from '../../../../src/activities/tools/tool-heartbeat.js';
import type { CallToolInput } from '../../../../src/activities/types.js';
import { activityEnvironment } from '../../../support/tool-calls.js';

it('progress of a tool: a message that is cut within a secret → no part of the secret (TR4)', async () => {
  const key = 'sk-proj-4f9Zq81x7Lm0';
  const environment = activityEnvironment();
  const beats: unknown[] = [];
  environment.on('heartbeat', details => beats.push(details));
  await environment.run(async () => {
    const beat = startHeartbeat({ callId: 'c1', tool: 'build' } as CallToolInput, text =>
      text.replaceAll(key, '[secret KEY]'),
    );
    beat.progress({ progress: 1, message: `${'x'.repeat(190)}${key}` });
    beat.stop();
  });
  expect(beats.at(-1)).toMatchObject({ progress: 1, message: `${'x'.repeat(190)}[secret KE` });
});
