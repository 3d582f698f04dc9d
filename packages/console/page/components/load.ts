/** What the configuration says of components: the module that a project brings, and servers whose HTML is not taken apart. */
import { signal } from '@preact/signals';
import { h } from 'preact';
import { get } from '../ask.js';
import { registerBuiltIns } from './built-in.js';
import { handlers, registry } from './registry.js';

/** Answer of `GET /api/components`. */
interface ComponentSettings {
  /** Where the module is; null where there is none. */
  module: string | null;
  unsafeHtml: string[];
  /** Why the module that is named can't be had. */
  fault: string | null;
}

export const settings = signal<ComponentSettings | null>(null);
/** Why the module of the project does not work; null where it does, or there is none. */
export const moduleFault = signal<string | null>(null);

let begun = false;

export function loadComponents(): void {
  if (begun) return;
  begun = true;
  registerBuiltIns(registry);
  void load();
}

async function load(): Promise<void> {
  const found = await get<ComponentSettings>('components').catch(() => {
    // The console was away: asked again when something is drawn next.
    begun = false;
    return null;
  });
  if (found === null) return;
  moduleFault.value = found.fault;
  if (found.module !== null) await fill(found.module);
  settings.value = found;
}

async function fill(address: string): Promise<void> {
  try {
    const [made, react] = await Promise.all([
      import(address) as Promise<{ default?: unknown }>,
      import('preact/compat'),
    ]);
    if (typeof made.default !== 'function')
      throw new TypeError('It has no default export that is a function.');
    await made.default({ registry, handlers, h, react });
  } catch (error) {
    moduleFault.value = String(error);
  }
}
