import { readFileSync } from 'node:fs';
import { errorText } from '../../base/text/error-text.js';
import { SteersmanError } from './errors.js';

/**
 * The only file that reads `process.env`. Keys stay here and in the provider clients; they never enter workflow input,
 * history, logs or messages (K3).
 */
function read(name: string): string | undefined {
  const value = process.env[name]?.trim();
  return value === undefined || value === '' ? readFrom(name) : value;
}

/** Reads the file named by `NAME_FILE`, which is how containers pass secrets. */
function readFrom(name: string): string | undefined {
  const file = process.env[`${name}_FILE`]?.trim();
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    throw new SteersmanError(
      `${name}_FILE names ${file}, which cannot be read: ${errorText(error)}`,
      'Name a file that this user may read, or unset the variable.',
    );
  }
}

function port<K extends string>(key: K, name: string): Partial<Record<K, number>> {
  const value = read(name);
  if (value === undefined) return {};
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && number < 65_536)
    return { [key]: number } as Record<K, number>;
  throw new SteersmanError(
    `${name} is ${value}, which is not a port number.`,
    'Give a number from 1 to 65535.',
  );
}

/** Names that a folder's file has set, as opposed to the caller of this process. */
const ofFolder = new Set<string>();

/** Sets a folder's variables. Variables that are already set take precedence, and empty values are skipped. */
export function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (process.env[name] !== undefined || value.trim() === '') continue;
    process.env[name] = value;
    ofFolder.add(name);
  }
}

export const env = {
  temporalNamespace: () => read('TEMPORAL_NAMESPACE'),
  temporalCliPath: () => read('TEMPORAL_CLI_PATH'),
  /** Temporal's test server, which skips time; for tests only. */
  temporalTestServerPath: () => read('TEMPORAL_TEST_SERVER_PATH'),
  /** Folder of the local stack's database and blobs; see `resolveHome` for the default. */
  home: () => read('STEERSMAN_HOME'),
  taskQueue: () => read('STEERSMAN_TASK_QUEUE'),
  /** The worker deployment that a worker belongs to; the names are those of Temporal's own controller. */
  deployment: () => ({ name: read('TEMPORAL_DEPLOYMENT_NAME'), buildId: read('TEMPORAL_WORKER_BUILD_ID') }),
  /** `host:port` at which a worker serves its metrics. */
  metrics: () => read('STEERSMAN_METRICS'),
  /** True if a worker answers queries for a run's stack trace. */
  stackTraces: () => read('STEERSMAN_STACK_TRACES')?.toLowerCase() === 'on',
  /** Bearer token of the MCP server's clients, over HTTP. */
  mcpToken: () => read('STEERSMAN_MCP_TOKEN'),
  /** Token for the console's pages if other machines can reach it. */
  consoleToken: () => read('STEERSMAN_CONSOLE_TOKEN'),
  /** Hosts that `fetch` may reach despite their private addresses, such as `wiki.example,127.0.0.1:8080`. */
  fetchPrivate: () => read('STEERSMAN_FETCH_PRIVATE')?.split(/[\s,]+/) ?? [],
  /** Configured ports of the local stack's server; absent ports are chosen automatically. */
  ports: () => ({ ...port('grpc', 'STEERSMAN_PORT'), ...port('webUi', 'STEERSMAN_UI_PORT') }),
  /** Faults that tests switch on, and the folder for their mark files: see failpoints.ts. */
  failpoints: () => read('STEERSMAN_FAILPOINTS'),
  failpointsDir: () => read('STEERSMAN_FAILPOINTS_DIR'),
  bell: () => read('STEERSMAN_BELL')?.toLowerCase() !== 'off',
  /** Proxies for outgoing requests, and the hosts that bypass them, under the names that all programs know. */
  proxies: () => ({
    http: read('http_proxy') ?? read('HTTP_PROXY'),
    https: read('https_proxy') ?? read('HTTPS_PROXY'),
    none: read('no_proxy') ?? read('NO_PROXY'),
  }),
  /**
   * Looks up any variable: for keys of model endpoints, tokens of user interfaces, and `${VAR}` in the configuration.
   */
  lookup: read,
  /** The whole environment, for child processes that need it. */
  all: () => process.env,
  /** The environment without variables that a folder's file has set. */
  withoutFolder: () =>
    Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofFolder.has(name))),
};
