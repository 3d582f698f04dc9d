/** `endpoint/model`, or the demo model, which goes by its provider's name alone. */
export const MODEL_ID = /^([a-z][a-z0-9_-]*\/\S+|demo)$/;
