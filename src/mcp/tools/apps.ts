/** MCP Apps (SEP-1865): reads what the tools of a server declare about their apps. */
import { isRecord } from '../../base/json/json.js';

export const APP_MIME = 'text/html;profile=mcp-app';
/** The capability that a client declares if it shows apps. */
export const APPS_CAPABILITY = { 'io.modelcontextprotocol/ui': { mimeTypes: [APP_MIME] } };

const LONGEST_URI = 500;

/** `app` is the address of the page for its results. `appOnly` hides the tool from models, `modelOnly` from apps. */
export interface AppOfTool {
  app?: string;
  appOnly?: true;
  modelOnly?: true;
}

/** Returns what a tool declares about its app, also under the older key. */
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

/** True for resources that are pages of apps, which models do not need to read. */
export function isAppUri(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.startsWith('ui://') && uri.length <= LONGEST_URI;
}
