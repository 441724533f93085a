import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import type { Caller } from "../../src/contract/callers/Caller.ts"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import { testDouble } from "../../src/contract/testDouble.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import type { CreateResponse } from "../../src/responses/CreateResponse.ts"
import { Pipeline } from "../../src/pipeline/Pipeline.ts"
import { makeResponseFamily } from "../../src/responses/responseFamily.ts"
import { ResponseStore } from "../../src/responses/store/ResponseStore.ts"
import { incoming } from "../contract/incoming.ts"
import { blocking, caller, counted, limited, modelsInOwnDialect } from "../dispatch/ownDialect.ts"

const message = (text: string) => ({
  type: "message" as const,
  id: "msg_1",
  role: "assistant" as const,
  status: "completed" as const,
  content: [{ type: "output_text" as const, text, annotations: [] }]
})

/** What was kept, and what there is to go on from. */
const kept: Array<Parameters<ResponseStore["save"]>[1]> = []
const earlier = counted("input_text")

const live = Pipeline.Default.pipe(
  Layer.merge(
    testDouble(ResponseStore, {
      save: (_, ended) => {
        kept.push(ended)
        return Promise.resolve()
      },
      history: () =>
        Effect.succeed({ first: "resp_1", items: [{ type: "message", role: "user", content: [earlier.part] }] }),
      resolve: (_, input) => Effect.succeed(input)
    })
  ),
  Layer.provideMerge(Grants.Default),
  Layer.provideMerge(modelsInOwnDialect("responses", { status: "completed", output: [message("passed through")] }))
)

/** What a request is answered with, and how often its text was read. */
const ask = (who: Caller, more: Partial<CreateResponse>) =>
  Effect.gen(function* () {
    const { answer } = yield* Pipeline
    const family = yield* makeResponseFamily
    const { part, reads } = counted("input_text")
    const payload = {
      model: "own",
      input: [{ type: "message" as const, role: "user" as const, content: [part] }],
      ...more
    }
    const input = { caller: who, payload, request: incoming({ body: payload }) }
    const answered = yield* toEffect(() => answer(family)(input))
    const response = answered instanceof Response ? yield* Effect.promise(() => answered.json()) : answered
    return { text: response.output[0].content[0].text as string, reads: reads.count }
  })

/** Breaks a rule: no call has that id. */
const unpaired = { input: [{ type: "function_call_output" as const, call_id: "call_1", output: "4" }] }

describe("a request for an upstream of its own dialect", () => {
  it.layer(live)((it) => {
    it.effect("passes through and is kept, and nothing of the gateway reads its input", () =>
      Effect.gen(function* () {
        expect(yield* ask(caller, {})).toEqual({ text: "passed through", reads: 0 })
        expect(kept.at(-1)?.output).toEqual([message("passed through")])
        expect(kept.at(-1)?.input).toMatchObject([{ content: [{ text: "Hello" }] }])
      })
    )

    it.effect("passes through with what it continues, which is not read either", () =>
      Effect.gen(function* () {
        expect(yield* ask(caller, { previous_response_id: "resp_1" })).toEqual({ text: "passed through", reads: 0 })
        expect(earlier.reads.count).toBe(0)
      })
    )

    it.effect.each([
      ["its model's context", caller, { model: "bounded", max_output_tokens: 10 }],
      ["a limit of tokens", limited, { max_output_tokens: 10 }],
      ["a route that needs it translated", caller, { model: "either" }]
    ] as const)("is read for %s, once, and passes through all the same", ([, who, more]) =>
      Effect.gen(function* () {
        expect(yield* ask(who, more)).toEqual({ text: "passed through", reads: 1 })
      })
    )

    it.effect("is read for a hold, once, and passes through all the same", () =>
      Effect.gen(function* () {
        // An account that the ledger does not know yet.
        const holder = { ...caller, account: AccountId.make("holder") }
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO accounts (id, created_at) VALUES (${holder.account}, 0)`
        yield* Effect.flatMap(Grants, (grants) => grants.credit(holder.account, 1_000_000_000, "test"))
        expect(yield* ask(holder, { model: "priced" })).toEqual({ text: "passed through", reads: 1 })
      })
    )

    it.effect("is told in the gateway's words where the account has changed it", () =>
      Effect.gen(function* () {
        const tools = [{ type: "web_search" as const }]
        expect(yield* ask(blocking, { tools })).toEqual({ text: "translated 1 and 1", reads: 1 })
      })
    )

    it.effect("may break rules that are its upstream's to judge, and no others", () =>
      Effect.gen(function* () {
        expect(yield* ask(caller, unpaired)).toMatchObject({ text: "passed through" })
        expect(yield* ask(caller, { ...unpaired, model: "either" })).toMatchObject({ text: "passed through" })
        const refused: Failure = yield* Effect.flip(ask(caller, { ...unpaired, model: "other" }))
        expect(refused).toMatchObject({ _tag: "InvalidRequest", param: "input" })
      })
    )
  })
})
