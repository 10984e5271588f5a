// Bundles what runs without node_modules: the trial program (in the sandbox) and the supervisor (detached).
import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const ENTRIES = [
  // Images may have an older node than the host; the program brings no packages along.
  { name: 'program', target: 'node18', format: 'esm', extension: 'mjs' },
  { name: 'supervisor', target: 'node20', format: 'cjs', extension: 'cjs' },
];

/**
 * Writes `<outDir>/program.mjs` and, where its source is there, `<outDir>/supervisor.cjs`.
 * @param {string} outDir
 * @param {readonly string[]} [only] `program` or `supervisor`; both when left out
 * @returns {Promise<string[]>} the files written
 */
export async function bundleTrial(outDir, only) {
  const wanted = ENTRIES.filter(({ name }) => only === undefined || only.includes(name));
  const present = wanted
    .map((entry) => ({ ...entry, source: join(root, 'src/trial', entry.name, 'main.ts') }))
    .filter(({ source }) => existsSync(source));
  return Promise.all(
    present.map(async ({ name, target, format, extension, source }) => {
      const outfile = join(outDir, `${name}.${extension}`);
      await bundle({ source, outfile, format, target });
      return outfile;
    }),
  );
}

/**
 * Writes the program that assembles an app in the build of its image.
 * @param {string} outDir
 * @returns {Promise<string>} the file written
 */
export async function bundleAssemble(outDir) {
  const outfile = join(outDir, 'assemble.mjs');
  const source = join(root, 'src/apps/image/assemble/main.ts');
  await bundle({ source, outfile, format: 'esm', target: 'node18' });
  return outfile;
}

function bundle({ source, outfile, format, target }) {
  return build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format,
    target,
    sourcemap: false,
    legalComments: 'none',
    logLevel: 'warning',
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bundleTrial(process.argv[2] ?? join(root, 'dist/trial'));
}
