/** First major version of Node.js that runs this code. */
const minNodeMajor = 24;

// Nothing is imported statically: an older Node.js would report an export that it lacks before any line of this file runs.
if (Number.parseInt(process.versions.node, 10) < minNodeMajor) {
  process.stderr.write(
    `Portico needs Node.js ${minNodeMajor} or later, not ${process.version}: run \`npm start\`, or node_modules/.bin/node instead of node.\n`,
  );
  process.exit(1);
}
await import('./serve.ts');
