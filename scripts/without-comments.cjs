// A loader of webpack: takes comments and blanks of libraries out of the workflow bundle, which every worker thread parses.
const { transformSync } = require('esbuild');

const OPTIONS = { legalComments: 'none', target: 'node20', minifyWhitespace: true, lineLimit: 120 };

module.exports = code => transformSync(code, OPTIONS).code;
