/** `--picture FILE`: pictures that belong to the goal of a start. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startOptions } from '../../../packages/cli/command/start-options.js';

const dir = mkdtempSync(join(tmpdir(), 'pictures-'));

test('--picture: files → their names, types and bytes, in order (CF11)', async () => {
  const picture = ['pier.png', 'boat.JPG'].map(name => join(dir, name));
  for (const path of picture) writeFileSync(path, 'hi');
  const { pictures } = await startOptions({ picture });
  expect(pictures).toEqual([
    { name: 'pier.png', mimeType: 'image/png', base64: 'aGk=' },
    { name: 'boat.JPG', mimeType: 'image/jpeg', base64: 'aGk=' },
  ]);
});

test('--picture: another kind, no such file → refused (CF11)', async () => {
  await expect(startOptions({ picture: [join(dir, 'a.svg')] })).rejects.toThrow(/one of these kinds: \.png/);
  await expect(startOptions({ picture: [join(dir, 'gone.png')] })).rejects.toThrow(
    /gone\.png does not exist/,
  );
});
