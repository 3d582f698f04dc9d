import { afterAll } from 'vitest';

/** Of each file of whole runs, which share processes: the variables that it sets end with it. */
const before = { ...process.env };

afterAll(() => {
  for (const name of Object.keys(process.env))
    if (!(name in before)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, before);
});
