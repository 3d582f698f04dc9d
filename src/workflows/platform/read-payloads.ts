/**
 * Reads what clients send: total over any payload. What the SDK's own converter can't read fails the workflow task,
 * again and again with no end, so that one signal would hold a run for ever. The Web UI's forms offer such encodings.
 */
import type { Payload } from '@temporalio/common';

import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/workflow';
import { strFromU8, strToU8 } from 'fflate';
import { exactText } from '../../base/json/json.js';

/** What a payload of plain JSON says of itself. */
const { metadata: PLAIN_JSON } = defaultPayloadConverter.toPayload(null);

/** The form that the SDK looks for in the bundle. */
export const payloadConverter: PayloadConverter = {
  toPayload: value => defaultPayloadConverter.toPayload(value),
  // Who asks for a value of type T reads it as unknown JSON: messages have their readers.
  fromPayload: <T>(payload: Payload) => (read(payload) ?? readAsJson(payload))?.value as T,
};

function read(payload: Payload): { value: unknown } | null {
  try {
    return { value: defaultPayloadConverter.fromPayload(withExactNumbers(payload)) };
  } catch {
    return null;
  }
}

/** Activities and workflows of other languages have integers that a double can't hold. */
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

/** JSON under another name, such as that of protobuf; what is none counts as nothing. */
function readAsJson(payload: Payload): { value: unknown } | null {
  return read({ ...payload, metadata: PLAIN_JSON ?? null });
}
