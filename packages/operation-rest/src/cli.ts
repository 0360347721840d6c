#!/usr/bin/env node
import { runCommand } from './run-command.ts';

process.exitCode = await runCommand(
  process.argv.slice(2),
  text => process.stdout.write(`${text}\n`),
  text => process.stderr.write(`${text}\n`),
);
