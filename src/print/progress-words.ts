/** How far a tool is, in words. Pure. */
import type { ToolProgress } from '../core/heartbeats.js';

/** `3 of 10 · message`, or what there is of it. */
export function progressWords({ progress, total, message = '' }: ToolProgress): string {
  if (progress === undefined) return message;
  const figures = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${figures} · ${message}` : figures;
}
