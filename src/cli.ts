#!/usr/bin/env node
/** The `bin`. It has no static imports: an old Node cannot load the other modules, and should report that plainly. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) await import('./steersman.js');
else {
  process.stderr.write(
    `Error: Steersman needs Node 20.19 or newer. This is Node ${process.versions.node}.\n`,
  );
  process.exitCode = 2;
}
