/** `context` of `steersman.yaml`: the rules that runs pin, and the transforms that it may name. */

import { canonicalJson } from '../../base/json/json.js';
import type { PinnedRun } from '../../run/agents/run-config.js';
import {
  BUILT_IN_TRANSFORMS,
  type ContextRules,
  isBuiltInTransform,
  type TransformLists,
} from '../../run/limits/context-rules.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { ConfigInCode } from './in-code.js';
import type { Settings } from './settings-schema.js';

type Path = readonly (string | number)[];

/** The part of a model's window that is worth sending, unless the settings say how many tokens. */
const SHARE_OF_WINDOW = 0.5;

function softOf(maxTokens: number | undefined, threshold: number): number {
  return maxTokens === undefined ? SHARE_OF_WINDOW * threshold : Math.floor(maxTokens * threshold);
}

/** Returns the rules that a run pins. */
export function contextRules(
  { context, models }: Settings,
  modelInfo: PinnedRun['modelInfo'],
  needsPrices: boolean,
): ContextRules {
  const softTokens = (own: Settings['context']['roles'][string] = {}) =>
    softOf(own.maxTokens ?? context.maxTokens, own.threshold ?? context.threshold);
  const roles = Object.entries(context.roles).map(([name, own]) => [name, softTokens(own)] as const);
  const model = models.compaction;
  // A model without a price is not called if a cost limit or an account needs the price.
  const mayCall = model !== undefined && (!needsPrices || modelInfo[model]?.costKnown === true);
  return {
    softTokens: softTokens(),
    ...(roles.length > 0 && { roles: Object.fromEntries(roles) }),
    compacts: mayCall ? { model } : {},
    ...(context.failedGoals === 'leave_out' && { rollsBack: true as const }),
    ...listsOf(context),
  };
}

/** True if the settings name functions of the program, which need no store. */
export function asksTransforms({ context: { transforms, roles } }: Settings): boolean {
  const names = [transforms, ...Object.values(roles).map(own => own.transforms ?? [])].flat();
  return !names.every(isBuiltInTransform);
}

/** Returns the lists that differ from the built-in ones. */
function listsOf({ transforms, roles }: Settings['context']): TransformLists {
  const isUsual = canonicalJson(transforms) === canonicalJson(BUILT_IN_TRANSFORMS);
  const own = Object.entries(roles).flatMap(([name, given]) =>
    given.transforms ? [[name, given.transforms] as const] : [],
  );
  return {
    ...(!isUsual && { transforms }),
    ...(own.length > 0 && { roleTransforms: Object.fromEntries(own) }),
  };
}

/** @throws SteersmanError with the place of an unknown name; without `own`, any name is accepted. */
export function checkTransforms(
  { transforms, roles }: Settings['context'],
  own: ConfigInCode['transforms'],
  faultAt: (path: Path, fault: string, remedy: string) => SteersmanError,
): void {
  const clash = Object.keys(own ?? {}).find(isBuiltInTransform);
  if (clash !== undefined)
    throw new SteersmanError(
      `A transform of the program has the name ${clash}, which is taken.`,
      'Give it another name.',
    );
  const lists: [Path, readonly string[]][] = [
    [['context', 'transforms'], transforms],
    ...Object.entries(roles).map(([role, given]): [Path, readonly string[]] => [
      ['context', 'roles', role, 'transforms'],
      given.transforms ?? [],
    ]),
  ];
  const known = [...BUILT_IN_TRANSFORMS, ...Object.keys(own ?? {})];
  for (const [path, names] of lists)
    for (const [index, name] of names.entries()) {
      const at = [...path, index];
      if (own && !known.includes(name))
        throw faultAt(
          at,
          `there is no transform "${name}". The transforms are: ${known.join(', ')}.`,
          NAME_A_TRANSFORM,
        );
      if (names.indexOf(name) < index) throw faultAt(at, `"${name}" is named twice.`, 'Name each once.');
      if (name === 'trim' && index < names.length - 1)
        throw faultAt(at, '"trim" is always the last.', 'Move it to the end, or leave it out.');
    }
}

const NAME_A_TRANSFORM =
  'Name a built-in one, or give the worker a function of that name: createWorker({ transforms }).';
