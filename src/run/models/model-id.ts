/** `endpoint/model`, or the demo model, whose id is only its provider's name. */
export const MODEL_ID = /^([a-z][a-z0-9_-]*\/\S+|demo)$/;
