/** Definitions of the tools for artifacts: the run carries them out itself. */
import type { JsonSchema } from '../../base/json/json.js';
import { object, ownTools } from '../../run/tools/workflow-tools.js';

const ID: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'Letters, digits, dots, dashes and underscores, such as "research_report" or "main.py".',
};
const EXPECTED_VERSION: JsonSchema = {
  type: 'integer',
  minimum: 1,
  description: 'The version that was read last: nothing is changed where the artifact is at another.',
};

const DEFINITIONS = {
  create_artifact: {
    description:
      'Creates an artifact: a named text that this run keeps beside the conversation, such as a report, code or a plan. It is no file of the workspace. ' +
      'The id "task_plan" is for the plan of the work, with the type "task_plan".',
    inputSchema: object(
      {
        id: ID,
        type: { type: 'string', minLength: 1, maxLength: 40, description: 'Such as "markdown" or "python".' },
        title: { type: 'string', maxLength: 100, description: 'For people. Default: the id.' },
        content: { type: 'string' },
      },
      ['title'],
    ),
  },
  update_artifact: {
    description:
      'Replaces a text in an artifact by another. "oldText" must stand in it exactly once, as it is written.',
    inputSchema: object(
      {
        id: ID,
        oldText: { type: 'string', minLength: 1 },
        newText: { type: 'string' },
        expectedVersion: EXPECTED_VERSION,
      },
      ['expectedVersion'],
    ),
  },
  rewrite_artifact: {
    description: 'Replaces the whole content of an artifact.',
    inputSchema: object(
      {
        id: ID,
        content: { type: 'string' },
        title: { type: 'string', maxLength: 100, description: 'Default: as it was.' },
        expectedVersion: EXPECTED_VERSION,
      },
      ['title', 'expectedVersion'],
    ),
  },
  read_artifact: {
    description: 'Reads an artifact, a page at a time: go on with the offset that the last page names.',
    inputSchema: object(
      {
        id: ID,
        version: { type: 'integer', minimum: 1, description: 'Default: the latest.' },
        offset: { type: 'integer', minimum: 0, description: 'First byte to read. Default 0.' },
      },
      ['version', 'offset'],
    ),
  },
  list_artifacts: {
    description: 'Lists the artifacts of this run: id, type, title, version and size of each.',
    inputSchema: object({}),
  },
};

export type ArtifactTool = keyof typeof DEFINITIONS;

export const artifactTools = ownTools(DEFINITIONS);
