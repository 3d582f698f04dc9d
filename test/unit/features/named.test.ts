/** A feature beside the loop stands in its folder: what loop and rules say of it is what clients see. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FEATURES } from '../../../src/compose.js';
import { projectRoot } from '../../support/project.js';

const FLOORS = ['base', 'run', 'conversation', 'rules', 'workflows'];

/** What names a feature in code, and the files of the floors that may: contracts with clients, and words for models. */
const NAMED: Record<string, { words: RegExp; contracts: readonly string[] }> = {
  // A start has the schema, a result the value, and it is a cause of an end; agents do not get it.
  answers: {
    words:
      /typed_?answer|not_typed|ANSWER_SCHEMA|TYPED_VALUE|settings\.answer|\banswer\?: JsonSchema|'answer',\s+'k|\bvalue\?: T;/i,
    contracts: [
      'base/sizes/bounds.ts',
      'rules/agents/run-input.ts',
      'rules/agents/subagent.ts',
      'run/agents/run-config.ts',
      'run/limits/cause.ts',
      'workflows/run/definitions.ts',
    ],
  },
  // A result may have an app, and a tool may be for apps: that is a field of a tool and of its result.
  apps: {
    words: /app_?(?:calls?|use|ask|tool)|\bapps\b|callToolUpdate/i,
    contracts: ['run/state/journal.ts', 'workflows/run/definitions.ts'],
  },
  // A run's settings have checks, a goal its results, which its end, its answer and instructions tell.
  checks: {
    words:
      /checkBefore|makeCheck|lookAtChecked|readsNothingChanged|readByCheck|decideChecks|failedChecks|foundNothing|listStart\b/,
    contracts: [],
  },
  // A run pins its rules, a pinned call may be for a summary, whose author and events clients see; programs make changes.
  context: {
    words: /compaction|ContextRules|ContextChange|COMPACTOR|'thin'|\bcompacts\b/,
    contracts: [
      'conversation/earlier.ts',
      'conversation/transform.ts',
      'run/agents/run-config.ts',
      'run/limits/context-rules.ts',
      'run/limits/usage-by.ts',
      'run/models/model-use.ts',
      'run/state/journal.ts',
      'workflows/beside/tell.ts',
      'workflows/run/requests.ts',
      'workflows/turn/pin-call.ts',
    ],
  },
  // A row of the resolver may ask for them, and they are a cause of an end.
  credits: {
    words: /credit|\bcharged\b|charges\b/i,
    contracts: ['run/limits/cause.ts', 'run/models/resolver.ts', 'workflows/turn/resolve-model.ts'],
  },
  // A verdict cites what it rests on as `evidence`, which is a basis of ends; looks find snapshots.
  evidence: {
    words:
      /\bEvidence\b|state\.evidence|features\/evidence|\bSnapshot\b|agentNote|look(?:Before|ForVerdict|edUp)\b/,
    contracts: ['run/evidence/evidence.ts'],
  },
  // A gate may be a form, also one of an agent: that is a kind of gates. The worker signals and queries these.
  forms: {
    words: /form(?:Signal|Answer|Message|Question|Text)|(?:hear|take|close|end)Forms?\b|'form:/i,
    contracts: [
      'rules/gates/gate-answer.ts',
      'run/gates/form.ts',
      'run/gates/gate.ts',
      'workflows/run/definitions.ts',
    ],
  },
  // They have the wire name of all moments, their causes and their words, and runs and failures name those of a worker.
  hooks: {
    words: /hook(?!s\\\/)/i,
    contracts: [
      'run/agents/run-config.ts',
      'run/limits/cause.ts',
      'run/limits/failure.ts',
      'workflows/beside/tell.ts',
      'workflows/phases/conclude.ts',
      'workflows/platform/activity-calls.ts',
      'workflows/platform/temporal-ports.ts',
      'workflows/turn/turn-loop.ts',
    ],
  },
  // They are events, which hooks add too.
  notes: {
    words: /noteUpdate|system_event|tool_log|NOTE_EVENTS/,
    contracts: [
      'run/state/journal.ts',
      'run/state/note.ts',
      'workflows/index.ts',
      'workflows/run/definitions.ts',
    ],
  },
  // A start brings them, and the goal's message refers to them.
  pictures: {
    words: /StartPicture|settings\.pictures|'pictures'|PictureRef/,
    contracts: [
      'rules/agents/run-input.ts',
      'run/agents/run-config.ts',
      'run/messages/message.ts',
      'workflows/beside/feature.ts',
      'workflows/beside/moments.ts',
      'workflows/platform/temporal-ports.ts',
      'workflows/run/run.ts',
    ],
  },
  // The role, its contract and the policy that asks it are settings of a run, and it is a cause of ends.
  orchestrator: {
    words: /orchestrat/i,
    contracts: [
      'rules/outputs/parse-output.ts',
      'rules/outputs/rules.ts',
      'rules/plan/step-failure.ts',
      'rules/prompts/instructions.ts',
      'run/agents/run-config.ts',
      'run/limits/cause.ts',
      'run/outputs/contracts.ts',
      'run/outputs/role-form.ts',
      'run/position/position.ts',
      'run/state/journal.ts',
      'workflows/phases/execute.ts',
    ],
  },
  // A run's settings say what is reviewed; a plan's source may be its review, and models read of it in words.
  reviewer: {
    words: /reviewer|review(?:Plan|Result|Action)|check(?:Plan|Result|Action)\b|decideReview/,
    contracts: ['run/outputs/role-form.ts'],
  },
  // Watchers are told which a model has read.
  skills: { words: /\bskills?(?![a-z])|skill_/i, contracts: ['run/state/journal.ts'] },
  // Results and conversations have them, prompts may name them, and models read of them in words.
  artifacts: {
    words: /artifact/i,
    contracts: [
      'base/sizes/dictionaries.ts',
      'run/agents/role.ts',
      'run/index.ts',
      'run/outputs/artifact.ts',
      'run/state/stored-tail.ts',
      'workflows/run/definitions.ts',
    ],
  },
};

const files = FLOORS.flatMap(floor =>
  readdirSync(join(projectRoot, 'src', floor), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && name !== 'words/built-in-words.ts')
    .map(name => `${floor}/${name}`),
);

/** Code without its comments. */
function codeOf(file: string): string {
  const text = readFileSync(join(projectRoot, 'src', file), 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

test.each(FEATURES.map(({ name }) => name))('%s: who names it on the floors below → its contracts', name => {
  const { words, contracts } = NAMED[name] ?? { words: new RegExp(name, 'i'), contracts: [] };
  expect(files.length).toBeGreaterThan(150);
  expect(files.filter(file => words.test(codeOf(file))).sort()).toEqual([...contracts].sort());
});
