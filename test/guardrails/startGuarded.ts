import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { startGateway } from "../gatewayHere.ts"

export const secret = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`

/** What a guardrail gets. */
export interface HookQuestion {
  readonly type: string
  readonly guardrail: string
  readonly mode: string
  readonly request_id: string
  readonly family: string
  readonly texts: ReadonlyArray<{ readonly at: string; readonly text: string }>
  /** Those of the request so far. */
  readonly placeholders?: Readonly<Record<string, string>>
}

/** A guardrail's server. It checks signatures, and answers as it is told. */
export const startHook = () => {
  const seen: Array<HookQuestion> = []
  let answer: (asked: HookQuestion) => Response | Promise<Response> = allow
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = await request.text()
      const asked = new Webhook(secret).verify(body, Object.fromEntries(request.headers)) as HookQuestion
      seen.push(asked)
      return answer(asked)
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}/`,
    seen,
    answers: (by: typeof answer) => {
      seen.length = 0
      answer = by
    },
    stop: () => server.stop(true)
  }
}

export const allow = () => Response.json({ verdict: "allow" })

/** Blocks texts with a word. */
export const blockWord = (word: string) => (asked: HookQuestion) =>
  asked.texts.some(({ text }) => text.includes(word))
    ? Response.json({ verdict: "block", message: "Not that word" })
    : allow()

/** Replaces names by placeholders in requests, and says them in answers as they are. */
export const hideNames = ({ texts, type }: HookQuestion) => {
  if (type === "guardrail.output") return allow()
  return Response.json({
    verdict: "replace",
    texts: texts.map(({ text }) => text.replaceAll("Ann Lee", "<PERSON_1>")),
    placeholders: { "<PERSON_1>": "Ann Lee" }
  })
}

/** Numbers addresses, after those that have a placeholder. */
export const hideAddresses = ({ placeholders: known = {}, texts }: HookQuestion) => {
  const names = new Map(Object.entries(known).map(([name, word]) => [word, name]))
  const hidden = texts.map(({ text }) =>
    text.replace(/[a-z]+@example\.com/g, (word) => {
      const name = names.get(word) ?? `<EMAIL_${names.size + 1}>`
      names.set(word, name)
      return name
    })
  )
  const placeholders = Object.fromEntries([...names].map(([word, name]) => [name, word]))
  return Response.json({ verdict: "replace", texts: hidden, placeholders })
}

export const adminKey = "admin-of-guarded-gateways"

/** A gateway with this configuration. */
export const guardedGateway = (configuration: object) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-guarded-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(configuration))
  return startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
}
