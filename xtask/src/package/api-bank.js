#!/usr/bin/env node
// Starts the program of this machine, which comes in a package of its own.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `api-bank-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "api-bank.exe" : "api-bank";

function fail(message) {
  console.error(`api-bank: ${message}`);
  process.exit(1);
}

function find() {
  try {
    return require.resolve(`${name}/${file}`);
  } catch {
    return fail(`${name} is missing: install with optional dependencies, on a supported platform`);
  }
}

const child = spawn(find(), process.argv.slice(2), { stdio: "inherit" });
// The terminal interrupts both; the program decides when to end.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("error", (error) => fail(error.message));
child.on("exit", (status, signal) => process.exit(status ?? 128 + constants.signals[signal]));
