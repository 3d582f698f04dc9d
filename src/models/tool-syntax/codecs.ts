/** The syntaxes of tool calls: each a line. */
import type { ToolSyntax } from '../../core/agents/role.js';
import type { ToolCallCodec } from './codec.js';
import { JSON_ACTION } from './json-action.js';
import { XML } from './xml.js';

/** Null for the native interface, which needs none. */
export const CODECS: Readonly<Record<ToolSyntax, ToolCallCodec | null>> = {
  native: null,
  xml: XML,
  'json-action': JSON_ACTION,
};
