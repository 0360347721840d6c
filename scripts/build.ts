import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

/**
 * Builds dist/, which is self-contained together with node_modules:
 * - a tree of one `.js` file per `.ts` or `.tsx` file, and the data files at their places: for tests, scripts and worker threads;
 * - `bundle/`, what `npm start` and `npm run portico` run: all modules in a few files. Node.js takes 1.7 s of CPU time to find and
 *   load 3,400 modules, and a third of it from the bundle.
 *
 * Nothing is type-checked here: `npm run check` does.
 */
const root = join(import.meta.dirname, '..');
export const sources = [
  'schema',
  'src',
  'rest-facade',
  'packages/operation-rest/src',
  'packages/triage/src',
  'seeds',
  'examples',
];
const target = join(root, 'dist');
const stamp = '.built';

/** What `bundle/` has a program of. */
const programs = { main: 'src/main.ts', portico: 'src/command-line/portico.ts' };

/**
 * Packages that stay in node_modules: those with native code or files of their own, and those that a running process imports when
 * it first needs them. And parseurl, whose `url.parse` Node.js warns of unless it is called in node_modules.
 */
const unbundled = [
  '@graphql-yoga/render-graphiql',
  '@node-rs/argon2',
  'dictionary-en',
  'nodemailer',
  'openai',
  'openpgp',
  'parseurl',
  'pg-native',
  'piscina',
  'sharp',
  'undici',
];

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  tsconfig: join(root, 'tsconfig.json'),
  // Packages of this repository are built from their sources. With conditions of its own, esbuild no longer adds `module`.
  conditions: ['operation-rest-source', 'module'],
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
};

/** Builds in a process of its own, so that neither the compiler nor its memory stays in this one. */
export function build(): void {
  execFileSync(process.execPath, [import.meta.filename], { stdio: 'inherit', cwd: root });
}

/** Builds into a temporary folder and renames it, so that a running process never sees a partial dist/. */
async function buildAtomically(): Promise<void> {
  removeAbandonedFolders();
  const beside = join(root, `dist.${process.pid}`);
  try {
    await compile(beside);
    rmSync(target, { recursive: true, force: true });
    renameSync(beside, target);
  } catch (error) {
    // Another process has built the same sources meanwhile.
    if ((error as { code?: unknown }).code !== 'ENOTEMPTY') throw error;
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

/** Folders of builds that were killed. */
function removeAbandonedFolders(): void {
  for (const name of readdirSync(root)) {
    const pid = Number(/^dist\.(\d+)$/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

async function compile(into: string): Promise<void> {
  const { build: compiler } = await import('esbuild');
  const digest = sourceDigest();
  const files = sources.flatMap(folder => filesBelow(folder));
  const modules = files.filter(isModule);
  const tree = compiler({
    ...shared,
    entryPoints: modules,
    outdir: into,
    outbase: root,
    plugins: [importsOfTree],
  });
  const bundle = compiler({
    ...shared,
    entryPoints: programs,
    outdir: join(into, 'bundle'),
    splitting: true,
    external: unbundled,
    // Names of classes are names of tables and types. Without it a class is renamed that is called as another one is.
    keepNames: true,
    legalComments: 'none',
    banner: {
      js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
    },
    plugins: [placesInTree],
  });
  await Promise.all([tree, bundle]);
  for (const name of readdirSync(join(into, 'bundle'))) if (name.endsWith('.js')) toAscii(join(into, 'bundle', name));
  for (const file of files) if (!isModule(file)) cpSync(join(root, file), join(into, file), { recursive: true });
  writeFileSync(join(into, stamp), digest);
}

/**
 * Escapes the characters that esbuild leaves: in regular expressions and comments. V8 keeps the source of a script in memory, and
 * Node.js decodes one with a character above U+007F to two bytes for each: 14 MB more.
 */
function toAscii(path: string): void {
  const text = readFileSync(path, 'utf8');
  const escaped = text.replace(/[^\0-\x7f]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== text) writeFileSync(path, escaped);
}

/** Keeps every import as it is, with the file name that the imported module has in the tree. */
const importsOfTree: Plugin = {
  name: 'imports of the tree',
  setup({ onResolve, resolve }) {
    onResolve(
      { filter: /^(operation-rest|triage)(\/|$)/ },
      async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (pluginData === inTree) return undefined;
        const found = await resolve(path, { importer, resolveDir, kind, pluginData: inTree });
        if (found.errors.length > 0) return found;
        const between = relative(dirname(importer), found.path).split(sep).join('/');
        return { path: `${between.startsWith('.') ? '' : './'}${between.replace(/\.ts$/, '.js')}`, external: true };
      },
    );
    onResolve({ filter: /.*/ }, ({ kind, path, pluginData }) =>
      kind === 'entry-point' || pluginData === inTree
        ? undefined
        : { path: path.replace(/^(\..*)\.tsx?$/, '$1.js'), external: true },
    );
  },
};

/** Marks the resolution of a package of this repository, which no plugin changes. */
const inTree = Symbol('in the tree');

/** Modules in the bundle find data files and programs of threads at their places in the tree. */
const placesInTree: Plugin = {
  name: 'places in the tree',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const module = relative(root, path).split(sep).join('/');
      const folder = JSON.stringify(`/../${dirname(module)}`);
      const url = JSON.stringify(`../${dirname(module)}/${basename(module, extname(module))}.js`);
      // The compiler escapes the characters of a string, and not those of a raw one.
      const source = readFileSync(path, 'utf8').replace(/String\.raw`([^`$]*)`/g, (raw: string, text: string) =>
        /[^\0-\x7f]/.test(text) ? JSON.stringify(text) : raw,
      );
      if (/String\.raw`[^`]*[^\0-\x7f]/.test(source))
        return {
          errors: [
            { text: `${module}: String.raw with a value takes no character above U+007F, which the bundle escapes.` },
          ],
        };
      const contents = source
        // Packages that are required and not imported belong to the bundle as well, with the modules that they share with it.
        .replace(/^const require = createRequire\(import\.meta\.url\);$/m, '')
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${folder})`)
        .replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`);
      return { contents, loader: module.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

const isModule = (file: string): boolean => /\.tsx?$/.test(file);

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(root, join(entry.parentPath, entry.name)));
}

/**
 * Whether a start has to build first. An installation without the development dependencies, of which the compiler is one, never
 * builds: its build was made before they were removed, or elsewhere. Without a usable build it prints what to do, and exits.
 */
export function needsBuildOrExit(): boolean {
  if (existsSync(join(root, 'node_modules', 'esbuild'))) return isStale();
  const problem = problemOfBuild();
  if (problem === undefined) return false;
  process.stderr.write(
    `${problem}, and the development dependencies, which build it, are not installed: run \`npm ci && npm run build && npm prune --omit=dev\`.\n`,
  );
  process.exit(1);
}

function problemOfBuild(): string | undefined {
  const path = join(target, stamp);
  if (!existsSync(path)) return 'dist/ is missing or incomplete';
  // By content: copying and pruning change the times of files. An image has no sources to compare.
  const isOfSources = !existsSync(join(root, 'src')) || readFileSync(path, 'utf8') === sourceDigest();
  return isOfSources ? undefined : 'dist/ was built from other sources';
}

function sourceDigest(): string {
  const hash = createHash('sha256');
  for (const file of ['package.json', 'tsconfig.json', ...sources.flatMap(filesBelow)].toSorted())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

/** Whether a source is newer than the last complete build. An interrupted build leaves no stamp file. */
export function isStale(): boolean {
  const built = statSync(join(target, stamp), { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return true;
  const files = ['package.json', 'tsconfig.json', join('node_modules', '.package-lock.json')];
  for (const folder of sources) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
      files.push(join(folder, name));
  }
  return files.some(file => (statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0) > built);
}

// Not awaited: Jest loads this module in a way that allows no top-level await.
if (import.meta.main) void buildAtomically();
