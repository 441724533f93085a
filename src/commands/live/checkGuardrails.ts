import { Console, Duration, Effect, Either } from "effect"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import type { GuardrailEntry } from "../../config/sections/Guardrail.ts"
import { AccountId, KeyId } from "../../contract/callers/Caller.ts"
import { verdictOf } from "../../guardrails/askHook.ts"
import { NotAllAnswer } from "./NotAllAnswer.ts"

/** Has a guardrail look at a text of one word; fails with the reason if there is no verdict. */
export const askGuardrail = (name: string, entry: GuardrailEntry) =>
  Effect.gen(function* () {
    const [on = "input"] = entry.on ?? []
    const question = { on, family: "chat", model: "check", requestId: "check", caller, texts, placeholders: {} }
    const [took, { verdict }] = yield* Effect.timed(
      verdictOf(name, entry, question, (entry.timeout_seconds ?? 5) * 1_000)
    )
    return `answers "${verdict}" after ${Math.round(Duration.toMillis(took))} ms`
  })

const caller = { account: AccountId.make("default"), key: KeyId.make("check") }
const texts = [{ at: "user", text: "Hi" }]

/** Asks every guardrail, and prints the results. */
export const checkGuardrails = ({ guardrails = {} }: Pick<GatewayFile, "guardrails">) =>
  Effect.gen(function* () {
    const replies = yield* Effect.forEach(
      Object.entries(guardrails),
      ([name, entry]) => Effect.map(Effect.either(askGuardrail(name, entry)), (reply) => [name, reply] as const),
      { concurrency: 8 }
    )
    for (const [name, reply] of replies) {
      yield* Console.log(
        Either.match(reply, {
          onLeft: ({ message }) => `\nguardrail ${name}: ${message}\n  look at: guardrails.${name}`,
          onRight: (words) => `\nguardrail ${name} ${words}`
        })
      )
    }
    const { length } = replies.filter(([, reply]) => Either.isLeft(reply))
    if (length > 0) return yield* new NotAllAnswer({ message: length === 1 ? "1 problem" : `${length} problems` })
  })
