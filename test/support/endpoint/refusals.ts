/** What the providers say, in their own words, to requests that they can read and do not answer. */

import type { WireError } from '../../../packages/test-kit/scripted-reply.js';
import type { Protocol } from '../../../src/models/provider/endpoint.js';

type Family = 'openai' | 'anthropic';

function familyOf(protocol: Protocol): Family {
  return protocol === 'anthropic' ? 'anthropic' : 'openai';
}

/** The key is wrong. */
export function wrongKey(protocol: Protocol): WireError {
  if (familyOf(protocol) === 'anthropic') return { status: 401, message: 'invalid x-api-key' };
  return { status: 401, message: 'Incorrect API key provided.', code: 'invalid_api_key' };
}

/** There is no such model. */
export function unknownModel(protocol: Protocol, model: string): WireError {
  if (familyOf(protocol) === 'anthropic') return { status: 404, message: `model: ${model}` };
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { status: 404, message, code: 'model_not_found' };
}

/** The model does not take an option. */
export function refusedOption(protocol: Protocol, option: string): WireError {
  if (familyOf(protocol) === 'anthropic') {
    return { status: 400, message: `${option}: this field is not supported for this model.` };
  }
  return {
    status: 400,
    message: `Unsupported parameter: '${option}' is not supported with this model.`,
    code: 'unsupported_parameter',
    param: option,
  };
}
