import { Data, Duration, Effect, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { proxyIn } from "../config/proxies.ts"
import type { GuardrailEntry } from "../config/sections/Guardrail.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import { callUpstream } from "../upstreams/calls/client.ts"
import { plainTls } from "../upstreams/configured/fromSettings.ts"
import { readVerdict } from "./Verdict.ts"
import type { Verdict } from "./Verdict.ts"

/** A text with its place: `system`, `user`, `assistant`, `reasoning`, `tool_call`, `tool_result`, … */
export interface GuardedText {
  readonly at: string
  readonly text: string
}

/** The subject of a call of a guardrail. */
export interface Question {
  readonly on: "input" | "output"
  readonly family: string
  readonly model: string
  readonly requestId: string
  readonly caller: Pick<Caller, "account" | "key">
  readonly texts: ReadonlyArray<GuardedText>
  /** The placeholders of the request so far, with their words. */
  readonly placeholders: Readonly<Record<string, string>>
}

/** The most bytes of a verdict beside twice the texts. */
const mostBytes = 1_048_576

/** A guardrail gave no verdict. */
export class NoVerdict extends Data.TaggedError("NoVerdict")<{ readonly message: string }> {}

/** Asks a guardrail; undefined if it gives no verdict in time. Redirects are not followed. */
export const askHook = (
  name: string,
  entry: GuardrailEntry,
  question: Question,
  mostMs: number
): Effect.Effect<Verdict | undefined> =>
  Effect.match(verdictOf(name, entry, question, mostMs), {
    onFailure: () => undefined,
    onSuccess: (verdict) => verdict
  })

/** The same with the reason if there is no verdict. */
export const verdictOf = (
  name: string,
  entry: GuardrailEntry,
  { caller, family, model, on, placeholders, requestId, texts }: Question,
  mostMs: number
): Effect.Effect<Verdict, NoVerdict> =>
  Effect.suspend(() => {
    const body = JSON.stringify({
      type: `guardrail.${on}`,
      guardrail: name,
      mode: entry.mode ?? "block",
      request_id: requestId,
      account: caller.account,
      key: caller.key,
      family,
      model,
      texts,
      ...(Object.keys(placeholders).length > 0 && { placeholders })
    })
    const id = `guard_${randomHex()}`
    const now = new Date()
    const call = callUpstream({
      url: entry.url,
      headers: {
        "content-type": "application/json",
        "user-agent": "model-gateway",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
        "webhook-signature": new Webhook(Redacted.value(entry.secret)).sign(id, now, body)
      },
      body,
      deadlines: { connectMs: mostMs, firstByteMs: mostMs, idleMs: mostMs },
      proxy: proxyIn(entry.proxy),
      tls: entry.tls && plainTls(entry.tls)
    })
    const limit = mostBytes + 2 * body.length
    const away = Effect.mapError(call, ({ failure, said }) => new NoVerdict({ message: said ?? failure.message }))
    const read = Effect.flatMap(away, (exchange) =>
      exchange.status === 200
        ? Effect.tryPromise({
            try: () => exchange.text(limit),
            catch: () => new NoVerdict({ message: "its answer does not end, or is too long" })
          }).pipe(
            Effect.onExit((exit) =>
              Effect.sync(() => (exit._tag === "Success" ? exchange.release() : exchange.cancel()))
            ),
            Effect.flatMap((answer) => Effect.fromNullable(readVerdict(answer, texts.length))),
            Effect.catchTag("NoSuchElementException", () => new NoVerdict({ message: "its answer is no verdict" }))
          )
        : Effect.suspend(() => {
            exchange.cancel()
            return new NoVerdict({ message: `it answers with status ${exchange.status}` })
          })
    )
    return Effect.timeoutFail(read, {
      duration: Duration.millis(mostMs),
      onTimeout: () => new NoVerdict({ message: `it gives no verdict within ${mostMs / 1_000} s` })
    })
  })
