/** Which of Steersman's search attributes a namespace has: setting a missing one blocks a run for ever. */
import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../core/search-attributes.js';

export async function readSearchAttributes({ connection, options }: Client): Promise<string[]> {
  const { namespace } = options;
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return SEARCH_ATTRIBUTES.filter(name => customAttributes && name in customAttributes);
}
