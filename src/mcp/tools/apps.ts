/** MCP Apps (SEP-1865) at a tool server: what its tools say of their apps. */
import { isRecord } from '../../base/json/json.js';

export const APP_MIME = 'text/html;profile=mcp-app';
/** What a client that shows apps says of itself. */
export const APPS_CAPABILITY = { 'io.modelcontextprotocol/ui': { mimeTypes: [APP_MIME] } };

const LONGEST_URI = 500;

/** `app`: address of the page that shows its results. `appOnly`: no model is to call it; `modelOnly`: no app is. */
export interface AppOfTool {
  app?: string;
  appOnly?: true;
  modelOnly?: true;
}

/** What a tool says of its app, also in the older form of the key. */
export function appOf({ _meta }: Record<string, unknown>): AppOfTool {
  const meta = isRecord(_meta) ? _meta : {};
  const ui = isRecord(meta.ui) ? meta.ui : {};
  const uri = ui.resourceUri ?? meta['ui/resourceUri'];
  const { visibility } = ui;
  const isFor = (whom: string) => !Array.isArray(visibility) || visibility.includes(whom);
  return {
    ...(isAppUri(uri) && { app: uri }),
    ...(!isFor('model') && { appOnly: true }),
    ...(!isFor('app') && { modelOnly: true }),
  };
}

/** Resources that are pages of apps, which no model has to read. */
export function isAppUri(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.startsWith('ui://') && uri.length <= LONGEST_URI;
}
