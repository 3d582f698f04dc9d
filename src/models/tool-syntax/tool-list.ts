/** The tools of a request as text. */
import type { OfferedTool } from '../../core/prompts/model-request.js';

/** Stands before the form of calls: prompts, also those that come later, are written for models with an interface for tools. */
export const NO_INTERFACE =
  'Here tools are called in text, in exactly the form below, whatever is said elsewhere of a native interface.';

export function toolList(tools: readonly OfferedTool[]): string {
  return tools
    .map(({ name, description, inputSchema }) => {
      const { $schema: _dialect, ...schema } = inputSchema;
      return `### ${name}\n\n${description}\n\nArguments, as JSON schema: ${JSON.stringify(schema)}`;
    })
    .join('\n\n');
}
