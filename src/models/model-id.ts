/** `openai/meta/llama` is model `meta/llama` of `openai`; without a slash, `model` is empty. */
export function splitModelId(modelId: string): { provider: string; model: string } {
  const slash = modelId.indexOf('/');
  if (slash < 0) return { provider: modelId, model: '' };
  return { provider: modelId.slice(0, slash), model: modelId.slice(slash + 1) };
}
