import { readFileSync } from "node:fs";
import { initSync } from "./hclvm_wasm.js";

initSync({ module: readFileSync(new URL("./hclvm_wasm_bg.wasm", import.meta.url)) });

export * from "./api.js";
