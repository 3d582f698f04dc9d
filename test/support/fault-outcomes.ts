/**
 * What each fault of an endpoint comes to for one call of a model that would think, say a text and call `read` twice:
 * the stop reason and what is left of the reply, or the type of the failure and whether the call is tried again.
 */
import type { Protocol } from '../../src/models/endpoint.js';
import type { FaultName } from './endpoint/faults/names.js';

const WHOLE = 'tool_use: thinking, text, call a.txt, call b.txt';
const ESTIMATED = `${WHOLE}, usage estimated`;
const REST = 'tool_use: thinking, text, call a.txt';
const UNREADABLE = `${REST}, call not run (unreadable)`;
const BROKEN = 'model.connection, tried again';
const NO_REPLY = 'model.bad_response, tried again';
const STALLED = 'model.stalled, tried again';
const SERVER = 'model.server_error, tried again';
const REFUSED = 'model.bad_request, not tried again';

type Outcome = string | ({ others: string } & Partial<Record<Protocol, string>>);

const FAULT_OUTCOMES: Readonly<Record<FaultName, Outcome>> = {
  'http.context-too-long': 'model.context_too_long, not tried again',
  'http.wrong-key': 'model.auth, not tried again',
  'http.no-credit': 'model.forbidden, not tried again',
  'http.forbidden': 'model.forbidden, not tried again',
  'http.unknown-model': 'model.unknown_model, not tried again',
  'http.unknown-path': REFUSED,
  'http.timeout': 'model.timeout, tried again',
  'http.conflict': SERVER,
  'http.too-large': 'model.context_too_long, not tried again',
  // What is left out is the report of usage, sealed reasoning, thinking at all.
  'http.option-refused': {
    others: WHOLE,
    'openai-compatible': ESTIMATED,
    anthropic: 'tool_use: text, call a.txt, call b.txt',
  },
  'http.rate-limited': 'model.rate_limited, tried again',
  'http.rate-limited-seconds': 'model.rate_limited, tried again after 7 s',
  'http.rate-limited-date': 'model.rate_limited, tried again after 30 s',
  'http.rate-limited-ms': 'model.rate_limited, tried again after 1.5 s',
  'http.server-error': SERVER,
  'http.server-error-empty': SERVER,
  'http.bad-gateway': SERVER,
  'http.unavailable': 'model.overloaded, tried again',
  'http.gateway-timeout': SERVER,
  'http.overloaded': 'model.overloaded, tried again',
  'http.filtered': 'model.content_filter, not tried again',
  'http.error-not-json': REFUSED,
  'http.error-as-text': REFUSED,
  'http.redirect': 'model.redirected, not tried again',
  'http.redirect-within': 'model.redirected, not tried again',
  'http.not-modified': REFUSED,
  'http.error-nested': REFUSED,
  'http.empty': NO_REPLY,
  'http.page': NO_REPLY,
  'http.whole': WHOLE,
  'http.gzip-lie': NO_REPLY,
  'http.large-headers': 'model.reply_too_large, not tried again',
  'http.never-answers': STALLED,
  'stream.empty': NO_REPLY,
  'stream.cut-at-start': BROKEN,
  'stream.cut-in-text': BROKEN,
  'stream.cut-in-call': BROKEN,
  'stream.cut-before-end': BROKEN,
  'stream.ends-in-text': BROKEN,
  'stream.ends-before-end': BROKEN,
  'stream.cut-after-end': WHOLE,
  'stream.open-after-end': ESTIMATED,
  'stream.stalls-at-start': STALLED,
  'stream.stalls-in-text': STALLED,
  'stream.slow': WHOLE,
  'stream.keep-alive': WHOLE,
  'stream.unknown-events': WHOLE,
  'stream.null-events': WHOLE,
  'stream.split-bytes': WHOLE,
  'stream.crlf': WHOLE,
  'stream.no-names': WHOLE,
  'stream.twice': WHOLE,
  'stream.again': WHOLE,
  'stream.other-type': WHOLE,
  'stream.huge-event': 'model.reply_too_large, not tried again',
  'stream.not-json': NO_REPLY,
  'stream.ends-in-event': NO_REPLY,
  'stream.error-as-text': SERVER,
  'stream.error': SERVER,
  'stream.overloaded': 'model.overloaded, tried again',
  'stream.rate-limited': 'model.rate_limited, tried again',
  'end.missing': WHOLE,
  'end.missing-in-call': BROKEN,
  'end.every-chunk-cut': BROKEN,
  'end.every-chunk': WHOLE,
  'end.unknown': WHOLE,
  'end.given-up': SERVER,
  'end.nothing-after-reason': WHOLE,
  // Anthropic knows no other word for it than a refusal.
  'end.filtered': { others: 'content_filter: thinking, text', anthropic: 'refusal: thinking, text' },
  'end.refused': 'refusal: thinking, text',
  'end.limit-in-text': 'max_tokens: thinking, half the text',
  'end.limit-in-call': 'max_tokens: thinking, text, call a.txt, call not run (unreadable)',
  'end.other-word-for-limit': 'max_tokens: thinking, text, call a.txt, call b.txt',
  'end.turn-with-calls': WHOLE,
  'end.calls-without-calls': 'end_turn: thinking, text',
  'reply.empty': 'end_turn: nothing',
  'reply.two-choices': WHOLE,
  'reply.other-model': `${WHOLE}, the other model noted`,
  'parts.one-number': WHOLE,
  'parts.no-number': WHOLE,
  'parts.no-begin': WHOLE,
  'parts.no-end': WHOLE,
  'parts.deep': WHOLE,
  'call.no-id': WHOLE,
  'call.long-ids': WHOLE,
  'call.same-ids': WHOLE,
  'call.interleaved': WHOLE,
  'call.arguments-broken': UNREADABLE,
  'call.arguments-unquoted': WHOLE,
  'call.arguments-empty': `${REST}, call not run (the arguments: the required property "path" is missing)`,
  'call.arguments-twice': UNREADABLE,
  'call.arguments-list': UNREADABLE,
  'call.arguments-object': WHOLE,
  'call.arguments-deep': UNREADABLE,
  'call.unknown-name': `${REST}, call "no_such_tool" b.txt`,
  'call.strange-name': `${REST}, call "functions.read file" b.txt`,
  'call.old-form': REST,
  'call.no-name': `${REST}, call not run (This call arrived incomplete or mixed up with another: it is not run. Make one call in a reply.)`,
  'usage.missing': ESTIMATED,
  'usage.absurd': ESTIMATED,
  'usage.negative': ESTIMATED,
  'usage.text': ESTIMATED,
  'usage.twice': WHOLE,
  'thinking.other-field': WHOLE,
  'thinking.in-tags': WHOLE,
  'thinking.never-closed': 'end_turn: thinking',
  'thinking.unsigned': WHOLE,
  'thinking.redacted': 'tool_use: sealed thinking, text, call a.txt, call b.txt',
};

export function expectedOutcome(fault: FaultName, protocol: Protocol): string {
  const outcome = FAULT_OUTCOMES[fault];
  return typeof outcome === 'string' ? outcome : (outcome[protocol] ?? outcome.others);
}
