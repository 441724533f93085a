/**
 * A node of its own, which holds and settles what its input says: `bun test/ledger/nodes/worker.ts <database>`. A line of
 * input is a command of JSON, one of output what became of it.
 */
import { createInterface } from "node:readline"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import { plainBudget } from "../../../src/contract/budgets/Budget.ts"
import { AccountId, Caller } from "../../../src/contract/callers/Caller.ts"
import { noUsage } from "../../../src/generation/GenerationEvent.ts"
import type { Charge } from "../../../src/ledger/Charge.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { fromUsd } from "../../../src/ledger/Price.ts"
import { NodeReaperLive, Node, NodeTimes } from "../../../src/cluster/Node.ts"
import { layer as databaseAt } from "../../../src/sql/Database.ts"
import type { Answer, Command } from "./commands.ts"

const dollar = 1_000_000_000
const price = fromUsd({ output: 1_000_000 })
const times = { renewEvery: 100, goodFor: 800, lookEvery: 50, othersFirst: 300 }
const url = process.argv[2] ?? ""
const layer = Layer.mergeAll(Ledger.Default, Node.Default, NodeReaperLive).pipe(
  Layer.provideMerge(databaseAt({ url, exclusive: false })),
  Layer.provide(Layer.succeed(NodeTimes, times))
)
const runtime = ManagedRuntime.make(layer)
const open: Array<Charge> = []

const hold = ({ account, budget, budgets, count, dollars }: Extract<Command, { do: "hold" }>) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const caller = {
      ...Caller.unrestricted(account, `key of ${account}`),
      keyBudgets: budgets ?? (budget === undefined ? undefined : [plainBudget(budget * dollar, "day")])
    }
    const one = ledger.open({
      caller,
      requestId: "req",
      model: "m",
      upstream: "u",
      price,
      mostNanoUsd: () => dollars * dollar,
      mostTokens: () => dollars
    })
    const all = yield* Effect.all(
      Array.from({ length: count }, () => Effect.either(one)),
      { concurrency: "unbounded" }
    )
    open.push(...all.flatMap((each) => (Either.isRight(each) ? [each.right] : [])))
    return all.map((each) => (Either.isRight(each) ? "held" : each.left._tag))
  })

const settle = (dollars: number | undefined) =>
  Effect.gen(function* () {
    const ended = open.splice(0).map((charge): Promise<void> => {
      if (dollars === undefined) charge.release()
      const stored =
        dollars === undefined ? undefined : charge.settle({ ...noUsage, outputTokens: dollars }, "finished", false)
      return stored ?? Promise.resolve()
    })
    yield* Effect.promise(() => Promise.all(ended))
    const ledger = yield* Ledger
    // What is given back is so when the balance is told.
    yield* ledger.balance(AccountId.make("nobody"))
    return ended.map(() => "settled")
  })

const obey = (command: Command): Effect.Effect<ReadonlyArray<string>, never, Ledger | Node> => {
  switch (command.do) {
    case "hold":
      return hold(command)
    case "settle":
      return settle(command.dollars)
    case "id":
      return Effect.map(Node, (node) => [node.id()])
  }
}

const answer = (told: Answer) => process.stdout.write(`${JSON.stringify(told)}\n`)
answer(await runtime.runPromise(Effect.map(Node, (node) => [node.id()])))
for await (const line of createInterface({ input: process.stdin })) {
  const command: Command = JSON.parse(line)
  answer(await runtime.runPromise(obey(command)))
}
await runtime.dispose()
