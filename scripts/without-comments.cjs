// A webpack loader that removes comments and blanks of libraries from the workflow bundle, which every worker thread
// parses.
const { transformSync } = require('esbuild');

const OPTIONS = { legalComments: 'none', target: 'node20', minifyWhitespace: true, lineLimit: 120 };

module.exports = code => transformSync(code, OPTIONS).code;
