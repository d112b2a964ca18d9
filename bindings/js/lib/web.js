import init from "./hclvm_wasm.js";

await init({ module_or_path: new URL("./hclvm_wasm_bg.wasm", import.meta.url) });

export * from "./api.js";
