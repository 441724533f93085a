import type { Mutant } from "./Mutant.ts"

const slices = ["test/sql/slices.test.ts"]
const sumNames = ["test/ledger/sumNames.test.ts"]
const reports = ["test/requests/reports.test.ts"]
const client = ["test/sql/postgresClient.test.ts"]

/** What is the same on both engines, and what Postgres would do otherwise. */
export const engineMutants: ReadonlyArray<Mutant> = [
  {
    name: "sql: a slice reads all that is left",
    file: "src/sql/slices.ts",
    snippet: "end === undefined ? ends : compared(upTo, end)",
    replacement: "ends",
    tests: slices
  },
  {
    name: "sql: a slice reads again what those before it have read",
    file: "src/sql/slices.ts",
    snippet: "const within = given(all, whose, begun,",
    replacement: "const within = given(all, whose, begins, begun,",
    tests: slices
  },
  {
    name: "sums: each name that a caller makes up below a wildcard has its own",
    file: "src/ledger/SumNames.ts",
    snippet: "!isAnswered || count >= mostOfAccount || known.size >= mostOfAll",
    replacement: "!isAnswered || known.size >= mostOfAll",
    tests: sumNames
  },
  {
    name: "sums: names that no upstream has answered take the places of those of models",
    file: "src/ledger/SumNames.ts",
    snippet: "!isAnswered || count",
    replacement: "count",
    tests: sumNames
  },
  {
    name: "sums: nothing tells which names a wildcard stands for",
    file: "src/catalogue/Configured.ts",
    snippet: "catalogue.has(model) ? undefined : catalogue.patternOf(model)",
    replacement: "undefined",
    tests: ["test/e2e/modelNames.test.ts"]
  },
  {
    name: "reports: a key runs as many as it likes",
    file: "src/requests/Reports.ts",
    snippet: "const [ofOneKey, ofAll] = [2, 4]",
    replacement: "const [ofOneKey, ofAll] = [4, 4]",
    tests: reports
  },
  {
    name: "reports: all keys together run as many as they like",
    file: "src/requests/Reports.ts",
    snippet: "const [ofOneKey, ofAll] = [2, 4]",
    replacement: "const [ofOneKey, ofAll] = [2, 40]",
    tests: reports
  },
  {
    name: "reports: they take the whole pool",
    file: "src/requests/Reports.ts",
    snippet: "Math.floor(connections / 2)",
    replacement: "connections",
    tests: reports
  },
  {
    name: "copy: a target that holds something is written to",
    file: "src/sql/copy/copyDatabase.ts",
    snippet: "yield* mustBeEmpty(target, all)",
    replacement: "",
    tests: ["test/sql/postgresCopy.test.ts"]
  },
  {
    name: "copy: what one process held of accounts is forgotten",
    file: "src/sql/copy/copyDatabase.ts",
    snippet: "yield* counted(target)",
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
    name: "sql: a write that the server refuses fails those that share its statement",
    file: "src/sql/postgres/sharedWrites.ts",
    snippet: "some.length > 1 && tookNoEffect(rows)",
    replacement: "some.length > 99 && tookNoEffect(rows)",
    tests: ["test/sql/postgresSharedWrites.test.ts"]
  },
  {
    name: "sql: two writes that the server holds up hold up all others",
    file: "src/sql/postgres/sharedWrites.ts",
    snippet: "setTimeout(give, longest)",
    replacement: "setTimeout(give, 99 * longest)",
    tests: ["test/sql/postgresSharedWrites.test.ts"]
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
    name: "sql: what a newer gateway has expanded fails writes of those that run",
    file: "src/sql/postgres/again.ts",
    snippet: 'if (code === "0A000" && left.outdated > 0)',
    replacement: 'if (code === "0A000" && left.outdated < 0)',
    tests: ["test/sql/expanded.test.ts"]
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
    name: "sql: statements that are kept prepared grow without end",
    file: "src/sql/sqlite/Client.ts",
    snippet: "if (this.#kept.size >= mostKept) this.#forget()",
    replacement: "if (this.#kept.size >= 9_000) this.#forget()",
    tests: ["test/sql/kept.test.ts"]
  },
  {
    name: "sql: a row that is refused takes along those of its commit",
    file: "src/sql/BatchWriter.ts",
    snippet: "others.length === 0 ?",
    replacement: "others.length < 9_000 ?",
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
    name: "http: a NUL in a body goes to the database",
    file: "src/http/nul.ts",
    snippet: 'text.includes("\\\\u0000") ? placeOf(value, "") : undefined',
    replacement: 'text.includes("\\\\u00001") ? placeOf(value, "") : undefined',
    tests: ["test/contract/edge.test.ts"]
  }
]
