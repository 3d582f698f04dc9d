// Writes steersman.schema.json from src/config/settings/settings-schema.ts: run it after a change there.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;
const { outputFiles } = await build({
  stdin: {
    contents: `import { z } from 'zod'; import { settingsSchema } from './src/config/settings/settings-schema.ts';
      export const schema = z.toJSONSchema(settingsSchema, { io: 'input' });`,
    resolveDir: root,
  },
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
});
const code = Buffer.from(outputFiles[0].contents).toString('base64');
const { schema } = await import(`data:text/javascript;base64,${code}`);
writeFileSync(`${root}steersman.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
execFileSync('npx', ['biome', 'format', '--write', 'steersman.schema.json'], { cwd: root, stdio: 'inherit' });
