import { describe, expect, it } from 'vitest';
import { toMessagesBody } from '../../../../src/models/anthropic/request-body.js';
import { toChatBody } from '../../../../src/models/chat/provider.js';
import { PLAIN_REQUEST } from '../../../../src/models/provider/provider.js';
import { toToolUse } from '../../../../src/models/request/tool-arguments.js';
import { simplerSchema, wireKey, wireSchema } from '../../../../src/models/request/tool-schema.js';
import { toResponsesBody } from '../../../../src/models/responses/request-body.js';
import { tool, user } from '../../../support/model-calls.js';

describe('schemas of tools on the wire (FE3)', () => {
  it.each<[string, object, object]>([
    ['nothing', {}, { type: 'object', properties: {} }],
    ['a dialect line', { $schema: 'x', $id: 'y', type: 'object' }, { type: 'object', properties: {} }],
    [
      'anyOf at the top',
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        anyOf: [{ required: ['a'] }, { properties: { b: { type: 'number' } }, required: ['a', 'b'] }],
      },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] },
    ],
    [
      'allOf at the top',
      {
        allOf: [
          { properties: { a: {} }, required: ['a'] },
          { properties: { b: {} }, required: ['b'] },
        ],
      },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
    ],
    [
      'a reference at the top',
      { $ref: '#/$defs/Args', $defs: { Args: { properties: { a: { type: 'string' } }, required: ['a'] } } },
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        $defs: { Args: { properties: { a: { type: 'string' } }, required: ['a'] } },
      },
    ],
    [
      'references as branches at the top, to each other too',
      {
        type: 'object',
        oneOf: [{ $ref: '#/definitions/A' }, { $ref: '#/definitions/B' }, { $ref: '#/definitions/none' }],
        definitions: {
          A: { properties: { a: {} }, required: ['a'] },
          B: { allOf: [{ $ref: '#/definitions/A' }, { properties: { b: {} } }, { $ref: '#/definitions/B' }] },
        },
      },
      {
        type: 'object',
        properties: { a: {}, b: {} },
        definitions: {
          A: { properties: { a: {} }, required: ['a'] },
          B: { allOf: [{ $ref: '#/definitions/A' }, { properties: { b: {} } }, { $ref: '#/definitions/B' }] },
        },
      },
    ],
    [
      'a list without items',
      { properties: { paths: { type: 'array' } } },
      { type: 'object', properties: { paths: { type: 'array', items: {} } } },
    ],
    [
      'bounds of draft 4',
      { properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true, exclusiveMaximum: false } } },
      { type: 'object', properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: 0 } } },
    ],
    [
      'required as a flag',
      { properties: { a: { type: 'string', required: true } } },
      { type: 'object', properties: { a: { type: 'string' } } },
    ],
    [
      'no other arguments, which a model needs not be told',
      { properties: { a: { type: 'object', additionalProperties: false } }, additionalProperties: false },
      { type: 'object', properties: { a: { type: 'object', additionalProperties: false } } },
    ],
    [
      'an object or null',
      { type: ['object', 'null'], properties: { a: {} } },
      { type: 'object', properties: { a: {} } },
    ],
    [
      'an argument of the name of a keyword',
      { properties: { anyOf: { type: 'string' }, id: { type: 'string' } } },
      { type: 'object', properties: { anyOf: { type: 'string' }, id: { type: 'string' } } },
    ],
  ])('%s → %j', (_what, schema, expected) =>
    expect(wireSchema(schema as Record<string, unknown>)).toEqual(expected),
  );

  it('odd names of arguments → others on the wire, and the own ones in the call', () => {
    const schema = {
      type: 'object',
      properties: {
        'filter[id]': { type: 'string' },
        list: { type: 'array', items: { properties: { 'a b': {} } } },
      },
      required: ['filter[id]'],
    };
    const sent = wireSchema(schema);
    const key = wireKey('filter[id]');
    expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    expect(sent.required).toEqual([key]);
    const text = JSON.stringify({ [key]: '7', list: [{ [wireKey('a b')]: 1 }] });
    const call = toToolUse({ id: 'c', name: 'find', text, cut: false }, [tool('find', schema)]);
    expect(call.input).toEqual({ 'filter[id]': '7', list: [{ 'a b': 1 }] });
    expect(call.argErrors).toBeUndefined();
  });

  it('what was left out → still holds for calls', () => {
    const schema = {
      properties: { a: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    };
    const call = toToolUse({ id: 'c', name: 'find', text: '{}', cut: false }, [tool('find', schema)]);
    expect(call.argErrors).not.toBeUndefined();
  });

  it('a long description → cut in the protocols of OpenAI', () => {
    const long = { ...tool('read'), description: 'x'.repeat(3_000) };
    const request = { ...PLAIN_REQUEST, model: 'm', messages: [user('Hello')], tools: [long] };
    const lengthIn = (body: object) =>
      Math.max(...(JSON.stringify(body).match(/x+…?/g) ?? []).map(run => run.length));
    expect(lengthIn(toChatBody({ name: 'home', host: 'localhost' }, request))).toBe(1_024);
    expect(lengthIn(toResponsesBody('home', request))).toBe(1_024);
    expect(lengthIn(toMessagesBody('home', request))).toBe(3_000);
  });

  it('a simpler one → types, descriptions and words, references followed', () => {
    const schema = {
      $defs: {
        place: {
          type: 'object',
          properties: { city: { type: 'string', format: 'city' } },
          required: ['city'],
        },
      },
      type: 'object',
      properties: {
        at: { $ref: '#/$defs/place' },
        n: { anyOf: [{ type: 'integer', exclusiveMinimum: 0 }, { type: 'null' }] },
        kind: { enum: ['a', 'b'] },
        rows: { type: 'array', items: { type: ['number', 'null'] } },
      },
      required: ['at'],
    };
    expect(simplerSchema(schema)).toEqual({
      type: 'object',
      properties: {
        at: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        n: { type: 'integer' },
        kind: { type: 'string', enum: ['a', 'b'] },
        rows: { type: 'array', items: { type: 'number' } },
      },
      required: ['at'],
    });
  });

  it.each(['null', '[]', '""', '', ' [ ] '])('arguments %s → none (FE10)', text => {
    const call = toToolUse({ id: 'c', name: 'now', text, cut: false }, [
      tool('now', { type: 'object', properties: {} }),
    ]);
    expect(call).toMatchObject({ input: {} });
    expect(call.argsParseFailed).toBeUndefined();
  });
});
