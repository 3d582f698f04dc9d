/** The script of one whole team run: every kind of tool call, a plan refined, a verification that wants more. */
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import type { ScriptedReply, ScriptedToolCall } from './endpoint/model.js';

/** Files of the workspace. */
export const BOATS = {
  'README.md': '# Boats\nTwo boats.\n',
  'boats/a.txt': 'Alba: built 1961\n',
  'boats/b.txt': 'Brise: built 1974\n',
};

/** Files of the configuration folder. */
export const BUSINESS = { 'prompts/business/default.md': 'The fleet lies in Brest.\n' };

export const IMPROVEMENT = 'Name the years of both boats.';

/** Positions of requests in the script. */
export const REQUEST = {
  boatsReport: 3,
  readmeReport: 5,
  compareFirst: 6,
  verdict: 7,
  replan: 8,
  compareReport: 10,
} as const;

const read = (path: string): ScriptedToolCall => ({ name: 'read_text_file', arguments: { path } });

/** One that works, one that fails, one repeated, broken JSON of three kinds, an unknown tool, a bad argument. */
export const CALLS_OF_FIRST_REPLY: ScriptedToolCall[] = [
  read('boats/a.txt'),
  read('boats/missing.txt'),
  read('boats/a.txt'),
  { name: 'read_text_file', arguments: "{'path': 'boats/b.txt',}" },
  { name: 'read_text_file', arguments: 'the second boat, please' },
  { name: 'list_allowed_directories', arguments: 'none' },
  { name: 'read_txt_file', arguments: { path: 'boats/a.txt' } },
  { name: 'read_text_file', arguments: { path: 7 } },
];

const README = { id: 'readme', description: 'Read README.md', priority: 2 };
const COMPARE = {
  id: 'compare',
  description: 'Say which boat is older',
  priority: 1,
  dependencies: ['readme', 'boats'],
};

export function teamScript(): ScriptedReply[] {
  return [
    { text: plan({ needsMorePlanning: true, todos: [README] }) },
    {
      text: plan({ todos: [COMPARE, { id: 'boats', description: 'Read both boats', priority: 1 }, README] }),
    },
    { text: 'I read what there is of both boats.', toolCalls: CALLS_OF_FIRST_REPLY },
    { text: execution({ summary: 'Alba was built in 1961, Brise in 1974.', taskCompleted: true }) },
    {
      text: execution({ summary: 'README.md is read.', taskCompleted: true }),
      toolCalls: [read('README.md')],
    },
    { text: execution({ summary: 'README.md says: two boats.', nextAction: 'complete' }) },
    { text: execution({ summary: 'Alba is the older boat.', taskCompleted: true }) },
    {
      text: verdict({
        improvements: [IMPROVEMENT],
        tasks: [
          { id: 'readme', completed: true, feedback: 'Read.' },
          { id: 'compare', completed: false, feedback: 'No years.' },
        ],
      }),
    },
    { text: plan({ todos: [{ ...COMPARE, description: 'Say which boat is older, with the years' }] }) },
    { toolCalls: [read('boats/a.txt')] },
    { text: execution({ summary: 'Alba: 1961. Brise: 1974. Alba is older.', taskCompleted: true }) },
    { text: verdict({ summary: 'Alba is older: 1961, against 1974 for Brise.' }) },
  ];
}

export const SHORT_RUN_FILES = { 'README.md': '# Boats\nThree boats.\n', 'years.txt': '1961 1974 1988\n' };

/** A short run with a batch of two calls, a call reused, and a verification that wants more. */
export function shortScript(): ScriptedReply[] {
  return [
    { text: plan({ todos: ['Read both files'] }) },
    { toolCalls: [read('README.md'), read('years.txt')] },
    { text: execution({ summary: 'Three boats.', taskCompleted: true }) },
    { text: verdict({ improvements: ['Give the years.'], tasks: [{ id: 'task-1', completed: false }] }) },
    { text: plan({ todos: ['Read both files for the years'] }) },
    { toolCalls: [read('years.txt')] },
    { text: execution({ summary: 'Three boats: 1961, 1974, 1988.', taskCompleted: true }) },
    { text: verdict({ summary: 'Three boats, of 1961, 1974 and 1988.' }) },
  ];
}

/** One plan, one call, one report, one verdict. */
export function shortestScript(): ScriptedReply[] {
  return [
    { text: plan({ todos: ['Read README.md'] }) },
    { toolCalls: [read('README.md')] },
    { text: execution({ summary: 'README.md says how many boats.', taskCompleted: true }) },
    { text: verdict({ summary: 'As many as README.md says.' }) },
  ];
}
