/**
 * How much of one reply is taken in, whatever an endpoint sends. The bounds are far above what models write
 * and below what a worker, a payload of Temporal (2 MB) or a call stack can not bear.
 */
export const REPLY_BOUNDS = {
  /** Bytes of a response on the wire: a token costs about 300 there. */
  responseBytes: 64 * 1024 * 1024,
  /** Bytes of one event of a stream. */
  eventBytes: 4 * 1024 * 1024,
  /** Bytes of an error's body, of which a message quotes a few hundred characters. */
  errorBytes: 64 * 1024,
  /** Bytes of the list of models. */
  listBytes: 8 * 1024 * 1024,
  /** Characters of a reply's text, and of its reasoning. */
  textChars: 1_000_000,
  /** Characters of the arguments of all tool calls of a reply. */
  argumentChars: 400_000,
  /** Tool calls of a reply. */
  toolCalls: 128,
} as const;
