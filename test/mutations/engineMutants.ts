import type { Mutant } from "./Mutant.ts"

const slices = ["test/sql/slices.test.ts"]
const client = ["test/sql/postgresClient.test.ts"]

/** What is the same on both engines, and what Postgres would do otherwise. */
export const engineMutants: ReadonlyArray<Mutant> = [
  {
    name: "sql: a slice reads again what those before it have read",
    file: "src/sql/slices.ts",
    snippet: "const within = given(all, whose, begun,",
    replacement: "const within = given(all, whose, begins, begun,",
    tests: slices
  },
  {
    name: "copy: a target that holds something is written to",
    file: "src/sql/copy/copyDatabase.ts",
    snippet: "yield* mustBeEmpty(target, all)",
    replacement: "",
    tests: ["test/sql/postgresCopy.test.ts"]
  },
  {
    name: "sql: a transaction counts as committed whose COMMIT was answered ROLLBACK",
    file: "src/sql/postgres/Client.ts",
    snippet: "return resume(isCommit(end.answer) ? Effect.succeed([]) : Effect.fail(broken ?? rolledBack))",
    replacement: "return resume(Effect.succeed([]))",
    tests: client
  },
  {
    name: "sql: a fraction is rounded on its way to Postgres",
    file: "src/sql/postgres/values.ts",
    snippet: 'if (typeof value === "number" && !Number.isSafeInteger(value))',
    replacement: 'if (typeof value === "number" && Number.isNaN(value))',
    tests: client
  },
  {
    name: "sql: a number of 64 bits is the nearest that a double holds",
    file: "src/sql/postgres/values.ts",
    snippet: "if (!Number.isSafeInteger(number)) return",
    replacement: "if (Number.isNaN(number)) return",
    tests: client
  },
  {
    name: "sql: what Postgres says of a row goes into the log",
    file: "src/sql/postgres/Client.ts",
    snippet: "cause: withoutValues(cause)",
    replacement: "cause",
    tests: client
  },
  {
    name: "sql: a gateway whose lock was lost for a moment is not known to serve any more",
    file: "src/sql/postgres/served.ts",
    snippet: "if (Exit.isSuccess(alive)) return",
    replacement: "if (Exit.isExit(alive)) return",
    tests: ["test/sql/postgresServed.test.ts"]
  },
  {
    name: "sql: a commit that is to be durable waits for no disk where the one before it did not",
    file: "src/sql/sqlite/Client.ts",
    snippet: "if (isDurable) this.#wait()",
    replacement: "if (isDurable) this.isBusy",
    tests: ["test/sql/kept.test.ts"]
  },
  {
    name: "sql: a row that is refused takes along those of its commit",
    file: "src/sql/BatchWriter.ts",
    snippet: "if (others.length > 0) return sendHalves",
    replacement: "if (others.length > 9_000) return sendHalves",
    tests: ["test/sql/batchWriter.test.ts"]
  },
  {
    name: "sql: a commit that is tried again forgets the rows of its first try",
    file: "src/sql/BatchWriter.ts",
    snippet: "const entries = () => (taken ??= take())",
    replacement: "const entries = () => (taken = take())",
    tests: ["test/ledger/usageLog.test.ts"]
  },
  {
    name: "sql: a batch is sent while another one is under way",
    file: "src/sql/Gather.ts",
    snippet: "const wake = (): void => {\n    if (isSending) return",
    replacement: "const wake = (): void => {\n    isSending = false",
    tests: ["test/sql/gather.test.ts"]
  }
]
