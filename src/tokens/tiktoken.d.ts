/** Vocabulary files are read from their path, which also holds inside the compiled binary. */
declare module "*.tiktoken" {
  const path: string
  export default path
}
