/** Importing a vocabulary file gives its path, also inside the compiled binary. */
declare module "*.tiktoken" {
  const path: string
  export default path
}
