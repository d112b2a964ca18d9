// Runs the main function of a WebAssembly module and prints how long it takes: node run.mjs MODULE. A module of WASI sees
// no files. A trap ends in an error.
import { readFile } from "node:fs/promises";
import { argv, stderr } from "node:process";

const module = await WebAssembly.compile(await readFile(argv[2]));
const needsWasi = WebAssembly.Module.imports(module).some(({ module }) => module.startsWith("wasi_"));
const wasi = needsWasi && new (await import("node:wasi")).WASI({ version: "preview1", returnOnExit: true });
const instance = await WebAssembly.instantiate(module, needsWasi ? wasi.getImportObject() : {});
const start = performance.now();
const code = needsWasi ? wasi.start(instance) : instance.exports.main(0, 0);
stderr.write(`${argv[2].split("/").pop()}: ends with ${code ?? 0} after ${(performance.now() - start).toFixed(0)} ms\n`);
process.exitCode = code ?? 0;
