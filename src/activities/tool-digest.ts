/** Tells a tool from another of its name: for what a person allows for good. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../core/json.js';
import type { ToolDefinition } from '../core/tools/tool.js';

/** The tool with a digest of what a person who allows it goes by: where it runs, what it says and takes, whether it writes. */
export function withDigest(tool: ToolDefinition): ToolDefinition {
  const { serverToolName, origin, description, inputSchema, policy } = tool;
  const { readOnly, idempotent, destructive } = policy;
  const whole = { serverToolName, origin, description, inputSchema, readOnly, idempotent, destructive };
  const digest = createHash('sha256').update(canonicalJson(whole)).digest('base64url').slice(0, DIGEST_CHARS);
  return { ...tool, digest };
}

/** 96 bits. */
const DIGEST_CHARS = 16;
