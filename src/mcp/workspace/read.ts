import { type CodeTool, defineTool } from '../code-tools.js';
import { openFile, type WorkspaceContext } from './context.js';

export function readTool(context: WorkspaceContext): CodeTool {
  return defineTool({
    name: 'read',
    description: 'Reads a text file.',
    input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    readOnly: true,
    async run({ path }) {
      const { handle } = await openFile(context, String(path));
      try {
        return await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    },
  });
}
