/** How models call tools that they know by other names, and what becomes of it (WK17). */
import { describe, expect, test } from 'vitest';
import { workspaceTools } from '../../../../packages/workspace-tools/tools.js';
import { toToolUse } from '../../../../src/models/request/tool-arguments.js';
import type { OfferedTool } from '../../../../src/rules/prompts/model-request.js';

const OFFERED: OfferedTool[] = workspaceTools({ workspace: '/w' }, { with: ['fetch'] }).map(tool => ({
  ...tool,
  validation: 'strict' as const,
}));

function called(name: string, input: object, offered = OFFERED) {
  const { argErrors, ...call } = toToolUse(
    { id: 'c', name, text: JSON.stringify(input), cut: false },
    offered,
  );
  return { name: call.name, input: call.input, ...(argErrors && { argErrors }) };
}

const EDIT = { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] };

describe('WK17: what means the same → the call as the tool takes it', () => {
  test.each<[string, object, string, object]>([
    [
      'bash',
      { command: 'npm test', description: 'Runs the tests', timeout: 60_000 },
      'run',
      { command: 'npm test', timeoutMs: 60_000 },
    ],
    [
      'shell',
      { command: ['bash', '-lc', 'ls | wc'], timeout_ms: '9000' },
      'run',
      { command: 'ls | wc', timeoutMs: 9_000 },
    ],
    ['exec_command', { cmd: 'ls', workdir: '.' }, 'run', { command: 'ls' }],
    [
      'run',
      { command: ['grep', "it's", 'a b'], timeout: 30 },
      'run',
      { command: "grep 'it'\\''s' 'a b'", timeoutMs: 30_000 },
    ],
    ['run_shell_command', { command: 'ls', is_background: false }, 'run', { command: 'ls' }],
    ['functions.read', { path: 'a' }, 'read', { path: 'a' }],
    ['Read', { file_path: 'a', offset: '3', limit: null }, 'read', { path: 'a', offset: 3 }],
    [
      'read_file',
      { target_file: 'a', start_line: 5, end_line: '9' },
      'read',
      { path: 'a', offset: 5, limit: 5 },
    ],
    ['view', { path: 'a', view_range: [10, 20] }, 'read', { path: 'a', offset: 10, limit: 11 }],
    ['view', { path: 'a', view_range: [10, -1] }, 'read', { path: 'a', offset: 10 }],
    ['str_replace_based_edit_tool', { command: 'view', path: 'a' }, 'read', { path: 'a' }],
    ['str_replace_editor', { command: 'str_replace', path: 'a', old_str: 'x', new_str: 'y' }, 'edit', EDIT],
    ['list_dir', { directory: 'src', recursive: false }, 'list', { path: 'src', depth: 1 }],
    ['LS', { path: 'src' }, 'list', { path: 'src' }],
    ['Glob', { pattern: '*.ts', path: null }, 'find', { pattern: '*.ts' }],
    [
      'Grep',
      { pattern: 'x', '-i': true, '-n': true, '-A': 2, '-B': 1, output_mode: 'content', head_limit: 20 },
      'grep',
      { pattern: 'x', ignoreCase: true, context: 2 },
    ],
    [
      'grep_search',
      { query: 'x', case_sensitive: false, include: '*.ts' },
      'grep',
      { pattern: 'x', ignoreCase: true, glob: '*.ts' },
    ],
    [
      'grep',
      { pattern: 404, ignore_case: 'true', '-C': 1 },
      'grep',
      { pattern: '404', ignoreCase: true, context: 1 },
    ],
    ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, 'edit', EDIT],
    [
      'edit',
      { path: 'a', old_string: 'x', new_string: '', replace_all: true },
      'edit',
      { path: 'a', edits: [{ oldText: 'x', newText: '', all: true }] },
    ],
    ['replace', { file_path: 'a', old_string: 'x', new_string: 'y', expected_replacements: 1 }, 'edit', EDIT],
    ['edit', { path: 'a', edits: JSON.stringify(EDIT.edits) }, 'edit', EDIT],
    ['edit', { path: 'a', edits: JSON.stringify(EDIT.edits[0]) }, 'edit', EDIT],
    ['edit', { path: 'a', edits: EDIT.edits[0] }, 'edit', EDIT],
    [
      'MultiEdit',
      { file_path: 'a', edits: [{ old_string: 'x', new_string: 'y', replace_all: 'true' }] },
      'edit',
      { path: 'a', edits: [{ oldText: 'x', newText: 'y', all: true }] },
    ],
    ['write_to_file', { path: 'a', contents: 'x' }, 'write', { path: 'a', content: 'x' }],
    ['rename_file', { source: 'a', destination: 'b' }, 'move', { from: 'a', to: 'b' }],
    ['delete_file', { target_file: 'a', explanation: 'old' }, 'delete', { path: 'a' }],
    ['web_fetch', { uri: 'https://a.example' }, 'fetch', { url: 'https://a.example' }],
    ['javascript', { script: '1 + 1' }, 'compute', { code: '1 + 1' }],
  ])('%s %j', (name, input, own, taken) => {
    expect(called(name, input)).toEqual({ name: own, input: taken });
  });
});

describe('WK17: what means something else → refused, with what there is', () => {
  test.each<[string, object, RegExp]>([
    ['run', { command: 'ls', cwd: 'src' }, /unknown property "cwd"; known: command, timeoutMs/],
    [
      'bash',
      { command: 'npm start', run_in_background: true },
      /unknown property "run_in_background"; known/,
    ],
    [
      'grep',
      { pattern: 'x', output_mode: 'count' },
      /unknown property "output_mode"; known: pattern, path, glob/,
    ],
    ['grep', { pattern: 'a\nb', multiline: true }, /unknown property "multiline"/],
    [
      'replace',
      { file_path: 'a', old_string: 'x', new_string: 'y', expected_replacements: 3 },
      /expected_replacements/,
    ],
    [
      'read',
      { path: 'a', file_path: 'b' },
      /unknown property "file_path"; known: path, offset, limit, numbers/,
    ],
    ['read', { path: 'a', view_range: [9, 3] }, /unknown property "view_range"/],
    ['read', { path: 'a', offset: 5, view_range: [10, 20] }, /unknown property "view_range"/],
    ['list', { path: 'a', depth: 4, recursive: false }, /unknown property "recursive"/],
    ['grep', { pattern: 'x', ignoreCase: true, case_sensitive: true }, /unknown property "case_sensitive"/],
    ['grep', { pattern: 'x', case_sensitive: true, '-i': true }, /unknown property "-i"/],
    ['edit', { path: 'a', edits: 'x → y' }, /edits: expected array/],
    [
      'move',
      { source: 'a', destination: 'b', overwrite: true },
      /unknown property "overwrite"; known: from, to/,
    ],
    ['edit_file', { target_file: 'a', code_edit: '…' }, /unknown property "code_edit"; known: path, edits/],
  ])('%s %j', (name, input, fault) => {
    expect(called(name, input).argErrors?.join('\n')).toMatch(fault);
  });

  test.each(['apply_patch', 'create_file', 'rm', 'search', 'python', 'str_replace_editor', 'get_order'])(
    '%s → no tool is called in its place',
    name => {
      expect(called(name, { path: 'a', command: 'create' }).name).toBe(name);
    },
  );

  test('a tool of another server that has the name, or a server that takes all → untouched', () => {
    const open = { name: 'read', description: '', inputSchema: { type: 'object', properties: { path: {} } } };
    const theirs = [{ ...open, validation: 'delegate' as const }];
    expect(called('read', { file_path: 'a', offset: '3' }, theirs).input).toEqual({
      file_path: 'a',
      offset: '3',
    });
    expect(called('bash', { command: 'ls' }, theirs).name).toBe('bash');
    const takesAll = [...OFFERED, { ...open, name: 'default__x', validation: 'delegate' as const }];
    expect(called('bash', { command: 'ls' }, takesAll).name).toBe('bash');
  });
});
