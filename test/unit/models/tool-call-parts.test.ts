/** The forms in which endpoints stream tool calls: each gives its calls, or calls that do not run. */
import { describe, expect, it } from 'vitest';
import { readChunks } from '../../../src/models/chat/chunks.js';
import { ReplyDraft } from '../../../src/models/reply/reply-draft.js';
import { tool } from '../../support/model-calls.js';

interface Part {
  index?: number | string;
  id?: string;
  name?: string;
  args?: string;
}

/** A chunk with these parts of calls. */
function chunk(...parts: Part[]) {
  const wire = parts.map(({ name, args, ...rest }) => ({
    ...rest,
    type: 'function',
    function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
  }));
  return { choices: [{ index: 0, delta: { tool_calls: wire }, finish_reason: null }] };
}

const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };

const OFFERED = ['read', 'write', 'list', 'readwrite'].map(name => tool(name));

/** Each call as `name {…}`, or `name invalid`. */
async function callsOf(chunks: readonly object[]): Promise<string[]> {
  const draft = new ReplyDraft('openai/gpt-5');
  const events = (async function* () {
    yield* [...chunks, end];
  })();
  for await (const delta of readChunks(events)) draft.add(delta);
  return draft.whole('c1', OFFERED).map(block => {
    if (block.type !== 'tool_use') return block.type;
    const invalid = block.argsParseFailed === true || (block.argErrors ?? []).length > 0;
    return `${block.name} ${invalid ? 'invalid' : JSON.stringify(block.input)}`;
  });
}

const READ_A = 'read {"path":"a"}';
const WRITE_B = 'write {"path":"b"}';
const a = '{"path":"a"}';
const b = '{"path":"b"}';

describe('streamed tool calls', () => {
  it.each<[string, Part[][], string[]]>([
    [
      'the index as a text, and calls in turns',
      [
        [{ index: '0', id: 'x', name: 'read', args: '{"pa' }],
        [{ index: '1', id: 'y', name: 'write', args: '{"pa' }],
        [{ index: '0', args: 'th":"a"}' }],
        [{ index: '1', args: 'th":"b"}' }],
      ],
      [READ_A, WRITE_B],
    ],
    [
      'an empty object before the arguments, as gateways to Claude pass it on (Bedrock, LiteLLM)',
      [
        [{ index: 0, id: 'x', name: 'read', args: '{}' }],
        [{ index: 0, args: '{"path"' }],
        [{ index: 0, args: ':"a"}' }],
        [{ index: 1, id: 'y', name: 'list', args: '{}' }],
      ],
      [READ_A, 'list {}'],
    ],
    [
      'name with the id, arguments in pieces by index',
      [
        [{ index: 0, id: 'x', name: 'read', args: '' }],
        [{ index: 0, args: '{"path"' }],
        [{ index: 0, args: ':"a"}' }],
        [{ index: 1, id: 'y', name: 'write', args: '' }],
        [{ index: 1, args: b }],
      ],
      [READ_A, WRITE_B],
    ],
    [
      'pieces of two calls in turn',
      [
        [{ index: 0, id: 'x', name: 'read' }],
        [{ index: 1, id: 'y', name: 'write' }],
        [
          { index: 0, args: '{"path":' },
          { index: 1, args: '{"path":' },
        ],
        [
          { index: 0, args: '"a"}' },
          { index: 1, args: '"b"}' },
        ],
      ],
      [READ_A, WRITE_B],
    ],
    [
      'name in a later chunk than the id',
      [[{ index: 0, id: 'x' }], [{ index: 0, name: 'read' }], [{ index: 0, args: a }]],
      [READ_A],
    ],
    [
      'name after the arguments',
      [[{ index: 0, id: 'x', args: a }], [{ index: 0, name: 'read', args: '' }]],
      [READ_A],
    ],
    [
      'name in pieces',
      [[{ index: 0, id: 'x', name: 're' }], [{ index: 0, name: 'ad' }], [{ index: 0, args: a }]],
      [READ_A],
    ],
    [
      'name so far, once more in each chunk',
      [
        [{ index: 0, id: 'x', name: 're' }],
        [{ index: 0, name: 'read' }],
        [{ index: 0, name: 'read', args: a }],
      ],
      [READ_A],
    ],
    [
      'id and whole name once more in each chunk',
      [
        [{ index: 0, id: 'x', name: 'read', args: '' }],
        [{ index: 0, id: 'x', name: 'read', args: '{"path"' }],
        [{ index: 0, id: 'x', name: 'read', args: ':"a"}' }],
        [{ index: 0, id: 'x', name: 'read', args: '' }],
      ],
      [READ_A],
    ],
    [
      'whole name once more in each chunk, no id',
      [
        [{ index: 0, name: 'read', args: '{"path"' }],
        [{ index: 0, name: 'read', args: ':"a"}' }],
        [{ index: 1, name: 'write', args: '{"path"' }],
        [{ index: 1, name: 'write', args: ':"b"}' }],
      ],
      [READ_A, WRITE_B],
    ],
    [
      'a new id for each part, by index',
      [
        [{ index: 0, id: 'x1', name: 'read' }],
        [{ index: 0, id: 'x2', args: '{"path"' }],
        [{ index: 0, id: 'x3', args: ':"a"}' }],
        [{ index: 0, id: 'x4', args: '' }],
        [{ index: 1, id: 'y1', name: 'write' }],
        [{ index: 1, id: 'y2', args: b }],
      ],
      [READ_A, WRITE_B],
    ],
    [
      'every call numbered 0, with its id',
      [[{ index: 0, id: 'x', name: 'read', args: a }], [{ index: 0, id: 'y', name: 'write', args: b }]],
      [READ_A, WRITE_B],
    ],
    [
      'every call numbered 0, with an empty id',
      [
        [{ index: 0, id: '', name: 'read', args: a }],
        [{ index: 0, id: '', name: 'read', args: b }],
        [{ index: 0, id: '', name: 'write', args: b }],
      ],
      [READ_A, 'read {"path":"b"}', WRITE_B],
    ],
    [
      'ids and no index',
      [
        [{ id: 'x', name: 'read', args: '{"path"' }],
        [{ args: ':"a"}' }],
        [{ id: 'y', name: 'write', args: b }],
      ],
      [READ_A, WRITE_B],
    ],
    [
      'neither id nor index, a chunk for each call',
      [[{ name: 'read', args: a }], [{ name: 'write', args: b }], [{ name: 'write', args: '{}' }]],
      [READ_A, WRITE_B, 'write {}'],
    ],
    [
      'neither id nor index, all in one chunk',
      [
        [
          { name: 'read', args: a },
          { name: 'write', args: b },
          { name: 'list', args: '' },
          { name: 'list', args: '' },
        ],
      ],
      [READ_A, WRITE_B, 'list {}', 'list {}'],
    ],
    [
      'neither id nor index, arguments in pieces',
      [
        [{ name: 'read', args: '{"path"' }],
        [{ args: ':"a"}' }],
        [{ name: 'write', args: '{"path"' }],
        [{ name: 'write', args: ':"b"}' }],
      ],
      [READ_A, WRITE_B],
    ],
    [
      'brackets and quotes within the arguments',
      [
        [{ name: 'read', args: '{"path":"a}\\"' }],
        [{ name: 'read', args: '{"}' }],
        [{ name: 'list', args: '{}' }],
      ],
      ['read {"path":"a}\\"{"}', 'list {}'],
    ],
  ])('%s → each call as it was meant', async (_form, chunks, calls) => {
    expect(await callsOf(chunks.map(parts => chunk(...parts)))).toEqual(calls);
  });

  it.each<[string, Part[][], string[]]>([
    [
      'a call that was not done before the next, without number',
      [[{ name: 'read', args: '{"path":"a",' }], [{ name: 'write', args: b }]],
      ['read invalid', WRITE_B],
    ],
    [
      'a new id and the name for each piece of one call',
      [
        [{ index: 0, id: 'x1', name: 'read', args: '{"path":"a",' }],
        [{ index: 0, id: 'x2', name: 'read', args: '"lines":2}' }],
      ],
      ['read invalid', 'read invalid'],
    ],
    [
      'the whole call told twice, or two of the same',
      [[{ name: 'read', args: a }], [{ name: 'read', args: a }]],
      ['read invalid'],
    ],
    [
      'the whole call told twice under its id',
      [[{ index: 0, id: 'x', name: 'read', args: a }], [{ index: 0, id: 'x', name: 'read', args: a }]],
      ['read invalid'],
    ],
    [
      'arguments of two calls without anything that says whose',
      [
        [
          { name: 'read', args: '' },
          { name: 'write', args: '' },
        ],
        [{ args: a }, { args: b }],
      ],
      ['read invalid', 'write invalid'],
    ],
    [
      'arguments for one of two calls that wait',
      [
        [
          { name: 'read', args: '' },
          { name: 'write', args: '' },
        ],
        [{ args: b }],
      ],
      ['read invalid', 'write invalid'],
    ],
    [
      'another name after the arguments began, under one id',
      [
        [{ index: 0, id: 'x', name: 'read', args: '{' }],
        [{ index: 0, id: 'x', name: 'write', args: '"path":"a"}' }],
      ],
      ['read invalid'],
    ],
    ['no name at all', [[{ index: 0, id: 'x', args: a }]], [' invalid']],
  ])('%s → told to the model as invalid, never run', async (_form, chunks, calls) => {
    expect(await callsOf(chunks.map(parts => chunk(...parts)))).toEqual(calls);
  });
});
