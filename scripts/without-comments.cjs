// A loader of webpack: takes the comments of libraries out of the workflow bundle, which every worker thread parses.
const { transformSync } = require('esbuild');

module.exports = code => transformSync(code, { legalComments: 'none', target: 'node20' }).code;
