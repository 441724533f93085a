/** Importing a vocabulary file gives its path, also inside the compiled binary. */
declare module "gpt-tokenizer/data/o200k_base.tiktoken" {
  const path: string
  export default path
}
