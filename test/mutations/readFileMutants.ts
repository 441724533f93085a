import type { Mutant } from "./Mutant.ts"

const unit = ["test/flow/regularFiles.test.ts"]

/** Files that are read again while the process serves. */
export const readFileMutants: ReadonlyArray<Mutant> = [
  {
    name: "read files: a FIFO is waited for",
    file: "src/flow/RegularFiles.ts",
    snippet: "constants.O_RDONLY | constants.O_NONBLOCK",
    replacement: "constants.O_RDONLY",
    tests: unit
  },
  {
    name: "read files: a FIFO is read",
    file: "src/flow/RegularFiles.ts",
    snippet: 'if (!found.isFile()) throw new Error("it is not a regular file")',
    replacement: "",
    tests: unit
  },
  {
    name: "read files: a file of any length is read",
    file: "src/flow/RegularFiles.ts",
    snippet: "if (length > most) throw new Error(`it is larger than ${most} bytes`)",
    replacement: "",
    tests: unit
  },
  {
    name: "read files: a hung mount takes every thread",
    file: "src/flow/RegularFiles.ts",
    snippet: "if (silent !== undefined) return Promise.reject(silent)",
    replacement: "if (silent !== undefined) return work()",
    tests: unit
  },
  {
    name: "read files: what nobody waits for any more is read",
    file: "src/flow/RegularFiles.ts",
    snippet: "if (!isWaitedFor) return",
    replacement: "",
    tests: unit
  },
  {
    name: "read files: attention says nothing of a configuration that can't be read",
    file: "src/config/Reload.ts",
    snippet: "configuration.setTrouble(`not reloaded, nothing has changed: ${message}`)",
    replacement: "",
    tests: ["test/config/reload.test.ts"]
  },
  {
    name: "read files: AWS's library waits for a token's file",
    file: "src/credentials/awsFiles.ts",
    snippet: 'library.interceptToken(file, await readNamed("web_identity_token_file", file))',
    replacement: 'library.interceptToken(file, "token")',
    tests: ["test/credentials/fifos.test.ts"]
  }
]
