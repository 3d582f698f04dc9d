/** What this worker knows to be secret: its environment, `.env`, and what goes to tool servers and model endpoints. */

import { readDotEnv } from '../config/files.js';
import type { McpConfig } from '../mcp/config.js';
import { secretsOfUrl } from '../mcp/resolve-server.js';
import { type EndpointEntries, keyVariables } from '../models/endpoints.js';
import { env } from '../shared/env.js';
import { Secrets, type Variables } from '../shared/secrets.js';

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}/g;

export function knownSecrets(
  configDir: string | null,
  { servers }: McpConfig,
  endpoints: EndpointEntries,
): Secrets {
  const secrets = new Secrets();
  secrets.addVariables(env.all());
  if (configDir !== null) secrets.addDotEnv(dotEnvOf(configDir), 'worker');
  for (const name of keyVariables(endpoints)) secrets.add(name, env.lookup(name) ?? '');
  for (const server of servers) {
    for (const [, name = ''] of JSON.stringify(server).matchAll(VARIABLE)) {
      if (name !== 'workspace') secrets.add(name, env.lookup(name) ?? '');
    }
    if (server.type === 'stdio') secrets.addVariables(server.env);
    else {
      for (const [name, value] of Object.entries(server.headers)) addLiteral(secrets, name, value);
      for (const value of secretsOfUrl(server.url)) addLiteral(secrets, `${server.name}.url`, value);
    }
  }
  return secrets;
}

/** What a folder's `.env` says; nothing where it can't be read: then this worker tells nothing of it either. */
export function dotEnvOf(dir: string): Variables {
  try {
    return readDotEnv(dir);
  } catch {
    return {};
  }
}

/** What is no variable, which has a name of its own. Also without the scheme before it, as in `Bearer …`. */
function addLiteral(secrets: Secrets, name: string, value: string): void {
  // An address encodes the brace.
  if (/\$(?:\{|%7B)/.test(value)) return;
  secrets.add(name, value);
  secrets.add(name, value.slice(value.lastIndexOf(' ') + 1));
}
