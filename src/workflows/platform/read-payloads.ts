/**
 * Decodes payloads of clients, and accepts any. The SDK's own converter throws on some, which fails the workflow task again and
 * again, so that one signal would block a run forever. The Web UI's forms offer such encodings.
 */
import type { Payload } from '@temporalio/common';

import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/workflow';
import { strFromU8, strToU8 } from 'fflate';
import { exactText } from '../../base/json/json.js';

/** The metadata of a payload of plain JSON. */
const { metadata: PLAIN_JSON } = defaultPayloadConverter.toPayload(null);

/** The export that the SDK looks for in the bundle. */
export const payloadConverter: PayloadConverter = {
  toPayload: value => defaultPayloadConverter.toPayload(value),
  // The type T is unchecked: the readers of messages check it.
  fromPayload: <T>(payload: Payload) => (read(payload) ?? readAsJson(payload))?.value as T,
};

function read(payload: Payload): { value: unknown } | null {
  try {
    return { value: defaultPayloadConverter.fromPayload(withExactNumbers(payload)) };
  } catch {
    return null;
  }
}

/** Activities and workflows in other languages return integers that a double cannot hold. */
function withExactNumbers(payload: Payload): Payload {
  if (payload.data == null || !isPlainJson(payload)) return payload;
  const text = strFromU8(payload.data);
  const exact = exactText(text);
  return exact === text ? payload : { ...payload, data: strToU8(exact) };
}

function isPlainJson({ metadata }: Payload): boolean {
  const encoding = metadata?.encoding;
  return encoding != null && strFromU8(encoding) === 'json/plain';
}

/** Reads JSON with another encoding, such as protobuf's; invalid JSON counts as absent. */
function readAsJson(payload: Payload): { value: unknown } | null {
  return read({ ...payload, metadata: PLAIN_JSON ?? null });
}
