import { readdirSync, readFileSync } from 'node:fs';

/** The package `steersman` has the others built in: their libraries are its own too. */
const builtIn = readdirSync('packages').flatMap(name =>
  Object.keys(JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')).dependencies ?? {}),
);

export default {
  workspaces: {
    '.': {
      entry: [
        'src/{start,client,worker,bin-worker,dev,cli,vocabularies}.ts!',
        'src/compose.ts!',
        'src/workflows/platform/{interceptors,read-payloads}.ts!',
        'src/{base,run,conversation,rules,shared,config,models,mcp,client,worker,workflows}/index.ts!',
        'src/client/{messages,vocabularies}/index.ts!',
        'src/client/{remote,remote-store}.ts!',
        'examples/*/*.{ts,tsx}',
        'test/support/front-end/examples.tsx',
        'scripts/*.{mjs,cjs,ts}',
        'bench/*.ts',
        'bench/quality/tasks/*/{check,ends}.ts',
        'test/**/*.test.ts',
        'test/simulation/shard.ts',
        'test/support/{record-runs,told-results}.ts',
        'test/support/fake-mcp-server.*',
      ],
      project: [
        'src/**/*.{ts,tsx}!',
        'test/**/*.{ts,tsx}',
        'bench/**/*.ts',
        '!bench/quality/tasks/*/files/**',
        'examples/**/*.{ts,tsx}',
        'scripts/**',
      ],
      ignoreDependencies: [
        '@steersman/.+',
        'protobufjs',
        '@types/ms',
        '@modelcontextprotocol/server-filesystem',
        '@modelcontextprotocol/server-everything',
        // Bundled from a text.
        'lit',
        'ext-apps-1',
        'ext-apps-2',
        ...builtIn,
      ],
    },
    'packages/*': {
      entry: [
        'index.ts!',
        'owner.ts!',
        'doctor/worker-health.ts!',
        'page/{app/main.tsx,stream-worker.ts,apps/app-frame.ts}!',
        'threads/{compute-thread,edit-thread,page-process,pdf-process}.ts!',
      ],
      project: ['**/*.{ts,tsx}!'],
    },
    // Peers that a program may be without.
    'packages/react': { entry: ['index.ts!'], ignoreDependencies: ['react', 'react-dom'] },
    'packages/test-kit': {
      entry: ['*.ts!'],
      project: ['**/*.{ts,tsx}!'],
    },
  },
  ignoreExportsUsedInFile: {
    interface: true,
    type: true,
  },
  ignoreBinaries: ['pip', 'openssl'],
};
