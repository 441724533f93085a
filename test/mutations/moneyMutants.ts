import type { Mutant } from "./Mutant.ts"

const holds = ["test/ledger/durableHolds.test.ts"]
const nodes = ["test/ledger/nodes"]
const ledger = ["test/ledger/ledger.test.ts"]
const metered = ["test/ledger/meter.test.ts", "test/ledger/leftMeter.test.ts"]
const leaving = ["test/e2e/leftEarly.test.ts"]
const hedges = ["test/e2e/hedge.test.ts"]
const sql = ["test/sql/commits.test.ts"]

/** Money, and what makes it durable. */
export const moneyMutants: ReadonlyArray<Mutant> = [
  {
    name: "tokens: texts of one length have one count",
    file: "src/tokens/tokenizer.ts",
    snippet: `Bun.SHA256.hash(text, "base64")`,
    replacement: "String(text.length)",
    tests: ["test/tokens/tokens.test.ts"]
  },
  {
    name: "ledger: what is held can be spent once more",
    file: "src/ledger/Balances.ts",
    snippet: "balance.granted === undefined ? undefined : balance.granted - balance.settled - balance.held",
    replacement: "balance.granted === undefined ? undefined : balance.granted - balance.settled",
    tests: ledger
  },
  {
    name: "ledger: a balance may be overdrawn by one request",
    file: "src/ledger/Balances.ts",
    snippet: "return hold.nanoUsd > 0 && left !== undefined && left < hold.nanoUsd ?",
    replacement: "return hold.nanoUsd > 0 && left !== undefined && left < 0 ?",
    tests: ledger
  },
  {
    name: "ledger: what a key holds does not count against its budget",
    file: "src/ledger/budgets/Counters.ts",
    snippet: "step.used - step.forgiven + step.held",
    replacement: "step.used - step.forgiven",
    tests: [...ledger, "test/money/overspend.test.ts"]
  },
  {
    name: "ledger: a daily budget is not renewed",
    file: "src/ledger/budgets/windows.ts",
    snippet: "nowMs >= known.next) known",
    replacement: "nowMs >= Infinity) known",
    tests: ledger
  },
  {
    name: "ledger: a charge settles twice",
    file: "src/ledger/Ledger.ts",
    snippet: "if (!this.#isOpen) return false",
    replacement: "",
    tests: ledger
  },
  {
    name: "ledger: a failed request is paid",
    file: "src/ledger/meter.ts",
    snippet: "this.#charge.cut(used, !this.#isTotal || this.#isEstimated)",
    replacement: 'void this.#charge.settle(used, "hang-up", true)',
    tests: metered
  },
  {
    name: "ledger: a hang-up is free",
    file: "src/ledger/meter.ts",
    snippet: 'else this.#pay(this.#counted(), "hang-up", true)',
    replacement: "else this.#release()",
    tests: metered
  },
  {
    name: "dispatch: a client that leaves before its answer pays nothing",
    file: "src/dispatch/Work.ts",
    snippet:
      "const used = { ...noUsage, inputTokens: this.inputTokens(), ...piecesRead(this), ...served(this.asked()) }",
    replacement: "const used = noUsage",
    tests: ["test/dispatch/paying.test.ts"]
  },
  {
    name: "dispatch: a client that leaves pays for calls that were not made",
    file: "src/dispatch/Work.ts",
    snippet: "readBy(this.attempts.sent.count, ",
    replacement: "readBy(this.answers, ",
    tests: leaving
  },
  {
    name: "dispatch: a client that leaves pays for a call that failed",
    file: "src/dispatch/SentCalls.ts",
    snippet: '...this.#running("given-up")]\n    this.#count = 0',
    replacement: '...this.#running("given-up")]',
    tests: hedges
  },
  {
    name: "dispatch: a call that was given up costs the operator nothing",
    file: "src/dispatch/SentCalls.ts",
    snippet: "if (gaveUp)",
    replacement: "if (!gaveUp)",
    tests: hedges
  },
  {
    name: "dispatch: a call that lost to a hedge costs the operator nothing",
    file: "src/dispatch/SentCalls.ts",
    snippet: '...other.#givenUp, ...other.#running("outpaced")]',
    replacement: "...other.#givenUp]",
    tests: hedges
  },
  {
    name: "upstreams: a request counts as sent while its PDF is read",
    file: "src/upstreams/files/whenReady.ts",
    snippet: "const sends = attempt?.prepares()",
    replacement: "const sends = undefined as (() => void) | undefined",
    tests: ["test/upstreams/preparing.test.ts"]
  },
  {
    name: "upstreams: a request counts as sent while its credentials are fetched",
    file: "src/upstreams/calls/client.ts",
    snippet: "const prepared = call.attempt?.prepares()",
    replacement: "const prepared = undefined as (() => void) | undefined",
    tests: ["test/upstreams/preparing.test.ts"]
  },
  {
    name: "ledger: a task is paid as often as it ends",
    file: "src/ledger/DurableHolds.ts",
    snippet: "if (held === undefined) return 0\n",
    replacement:
      'if (held === undefined) return yield* commits.afterCommit(() => balances.settle({ account: "team" as never, key: "key" as never }, 0, 1, 0))\n',
    tests: holds
  },
  {
    name: "ledger: memory keeps the hold of a task that was not stored",
    file: "src/ledger/localBalances.ts",
    snippet: "Effect.sync(() => release(caller.account, { nanoUsd: wanted.nanoUsd, budgets: placed }))",
    replacement: "Effect.void",
    tests: holds
  },
  {
    name: "ledger: memory forgets a hold whose end was rolled back",
    file: "src/ledger/localBalances.ts",
    snippet: "commits.afterCommit(() => {\n          committed()",
    replacement: "Effect.sync(() => {\n          committed()",
    tests: holds
  },
  {
    name: "ledger: usage is stored without what the account has settled",
    file: "src/ledger/store/usageWriter.ts",
    snippet: "statements.push(settled([nanoUsd, account]))",
    replacement: "statements.push(settled([nanoUsd * 0, account]))",
    tests: ledger
  },
  {
    name: "ledger: what is sent again after its answer was lost takes effect again",
    file: "src/ledger/store/lanes.ts",
    snippet: "lane = $2::int AND batch < $3::bigint AND",
    replacement: "lane = $2::int AND batch <= $3::bigint AND",
    tests: nodes
  },
  {
    name: "ledger: a statement whose answer was lost takes effect once more",
    file: "src/ledger/shared/Lane.ts",
    snippet: "return inFiber(sendAs(by, sending), sending)",
    replacement: "return inFiber(sendNext(sending), sending)",
    tests: nodes
  },
  {
    name: "ledger: what was held for one who was told no stays held",
    file: "src/ledger/shared/Batches.ts",
    snippet: "(isTooLate ? undo : judge)",
    replacement: "judge",
    tests: ["test/ledger/nodes/lostAnswer.test.ts"]
  },
  {
    name: "ledger: a node that was buried gives back what it held once more",
    file: "src/ledger/store/lanes.ts",
    snippet: "AND buried_at IS NULL FOR UPDATE",
    replacement: "FOR UPDATE",
    tests: nodes
  },
  {
    name: "ledger: usage that no sum takes keeps all other from being added up",
    file: "src/ledger/store/usageStatements.ts",
    snippet: "isRefused(error) ? sumEach : Effect.fail(error)",
    replacement: "Effect.fail(error)",
    tests: ["test/ledger/nodes/lostAnswer.test.ts"]
  },
  {
    name: "ledger: a node that was buried gives back under its new id what it held before",
    file: "src/ledger/shared/Batches.ts",
    snippet: "|| held.node !== to",
    replacement: "",
    tests: nodes
  },
  {
    name: "ledger: what a dead node held stays held",
    file: "src/ledger/shared/sharedBalances.ts",
    snippet: "node.whenReaping(laneStatements(sql).release)",
    replacement: "void node",
    tests: nodes
  },
  {
    name: "ledger: half a nano-dollar is given away",
    file: "src/ledger/cost.ts",
    snippet: "? parts + million / 2 : undefined",
    replacement: "? parts : undefined",
    tests: ["test/ledger/price.test.ts"]
  },
  {
    name: "ledger: large sums are rounded down",
    file: "src/ledger/costLines.ts",
    snippet: "Number((sum * 2n + BigInt(parts)) / BigInt(parts * 2))",
    replacement: "Number(sum / BigInt(parts))",
    tests: ["test/ledger/price.test.ts"]
  },
  {
    name: "ledger: large inputs cost what small ones do",
    file: "src/ledger/rates.ts",
    snippet: "if (inputTokens > tier.above) found = tier.rates",
    replacement: "if (inputTokens < 0) found = tier.rates",
    tests: ["test/ledger/price.test.ts"]
  },
  {
    name: "sql: commits do not wait for the disk",
    file: "src/sql/sqlite/Database.ts",
    snippet: "yield* sql`PRAGMA synchronous = FULL`",
    replacement: "yield* sql`PRAGMA synchronous = NORMAL`",
    tests: sql
  },
  {
    name: "sql: after one relaxed commit none waits for the disk",
    file: "src/sql/sqlite/GroupCommit.ts",
    snippet: 'Effect.ensuring(effect, Effect.ignore(run(connection, "PRAGMA synchronous = FULL")))',
    replacement: "effect",
    tests: sql
  },
  {
    name: "sql: a second server opens the file",
    file: "src/sql/sqlite/Database.ts",
    snippet: "if (exclusive) yield* lock(filename, 250)",
    replacement: "",
    tests: sql
  },
  {
    name: "sql: a write that fails takes part of itself into the commit",
    file: "src/sql/sqlite/GroupCommit.ts",
    snippet: 'Effect.zipRight(run(connection, "ROLLBACK TO one_write"), run(connection, "RELEASE one_write"))',
    replacement: 'run(connection, "RELEASE one_write")',
    tests: sql
  },
  {
    name: "sql: what follows a commit happens without it",
    file: "src/sql/sqlite/GroupCommit.ts",
    snippet: "const isDurable = Exit.isSuccess(committed) && result !== undefined && Exit.isSuccess(result)",
    replacement: "const isDurable = result !== undefined",
    tests: sql
  }
]
